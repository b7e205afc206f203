/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The commands scan-init, scan-check and scan-kill. */
#include "master/api/edit.h"
#include "master/api/scan_list.h"
#include "master/auth/caller.h"
#include "proto/spec/io_spec.h"

#include <string.h>

/* What network it looks at is an observer's to choose.  A file or a web address
 * is asked for with the rights of the service: he has those that are inputs. */
static bool may_read(const struct api *api, const char *address,
		     const struct input_spec *spec, const struct caller *who)
{
	const json_t *streams = config_section(api->cfg.config, "make_stream");
	const json_t *stream, *input;
	size_t i, j;

	if (who->type == USER_CONTROL ||
	    (spec->kind != INPUT_FILE && spec->kind != INPUT_HTTP &&
	     spec->kind != INPUT_SDP))
		return true;
	json_array_foreach((json_t *)(uintptr_t)streams, i, stream)
		json_array_foreach(json_object_get(stream, "input"), j, input)
			if (json_is_string(input) &&
			    strcmp(json_string_value(input), address) == 0)
				return true;
	return false;
}

/* The address of the input to be read, borrowed; NULL after a reply. */
static const char *judge_input(const struct api *api, const json_t *request,
			       struct reply *reply)
{
	const json_t *scan = edit_get(request, "scan");
	const char *address = json_string_value(scan);
	const char *format = json_string_value(
		json_object_get(scan, "format"));
	struct input_spec spec;
	struct errmsg why;

	if (scan == NULL)
		reply_error(reply, 400, "scan: is missing");
	else if (json_is_object(scan) && format != NULL)
		reply_error(reply, 400, "scan.format: type \"%.32s\" is not "
			    "supported by this version", format);
	else if (address == NULL)
		reply_error(reply, 400, "scan: is not the address of an "
			    "input");
	else if (input_spec_parse(address, &spec, NULL, NULL, &why) < 0)
		reply_error(reply, 400, "scan: %s", why.text);
	else if (!may_read(api, address, &spec, reply_caller(reply)))
		reply_error(reply, 403, "scan: of files and web addresses, an "
			    "observer reads those that are inputs of streams");
	else
		return address;
	return NULL;
}

static void scans_init(struct api *api, const json_t *request,
		       struct reply *reply)
{
	const char *address = judge_input(api, request, reply);
	struct scan *scan;
	json_t *body;

	if (address == NULL)
		return;
	scan = scan_new(api->scans, address);
	if (scan == NULL) {
		reply_error(reply, 503, "%d analyzers run already",
			    SCANS_MAX);
		return;
	}
	body = json_object();
	(void)json_object_set_new(body, "scan-init", json_string("ok"));
	(void)json_object_set_new(body, "id", json_string(scan_id(scan)));
	reply_json(reply, body);
}

/* NULL after a reply. */
static struct scan *find(struct api *api, const json_t *request,
			 struct reply *reply)
{
	const char *id = json_string_value(edit_get(request, "id"));
	struct scan *scan = NULL;

	if (id == NULL) {
		reply_error(reply, 400, "id: is not the id of an analyzer");
		return NULL;
	}
	scan = scan_find(api->scans, id);
	if (scan == NULL)
		reply_error(reply, 404, "id: there is no analyzer \"%.64s\"",
			    id);
	return scan;
}

static void scans_check(struct api *api, const json_t *request,
			struct reply *reply)
{
	struct scan *scan = find(api, request, reply);
	json_t *body;

	if (scan == NULL)
		return;
	body = json_object();
	(void)json_object_set_new(body, "scan-check", json_string("ok"));
	scan_fetch(scan, body);
	reply_json(reply, body);
}

static void scans_kill(struct api *api, const json_t *request,
		       struct reply *reply)
{
	struct scan *scan = find(api, request, reply);

	if (scan == NULL)
		return;
	scan_free(&scan);
	reply_ok(reply, "scan-kill");
}

const struct api_command scans_commands[] = {
	{ "scan-check", scans_check, OBSERVER_ALLOWED, 0 },
	{ "scan-init", scans_init, OBSERVER_ALLOWED, 0 },
	{ "scan-kill", scans_kill, OBSERVER_ALLOWED, 0 },
	{ 0 },
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration as a whole: the commands load and upload, and GET
 * api/config. */
#include "common/base/alloc.h"
#include "master/api/call.h"
#include "master/api/certificate.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/api/host_files.h"
#include "master/api/redact.h"
#include "master/api/reply_after_save.h"
#include "master/api/section_warnings.h"
#include "master/auth/caller.h"
#include "master/config/check.h"
#include "master/config/check_host.h"
#include "master/config/findings.h"
#include "master/config/unknown_keys.h"
#include "master/config/write_paths.h"
#include "master/setup/options.h"

#include <errno.h>
#include <stdlib.h>

/* A request of an observer that waits until the file is read. */
struct loading {
	struct api *api;
	struct call *call; /* NULL when the client has left */
};

/* Replies with the file as observers receive it.  document: the content of the
 * file; NULL: the file has not changed since the text in the cache was made.
 * False: document is NULL, but the cache does not have the text, because
 * observer_redact has changed since the request. */
static bool reply_file(struct loading *l, const json_t *document)
{
	struct api *api = l->api;
	struct reply *reply = call_reply(l->call);
	uint64_t key = config_file_version(api->cfg.config);

	if (text_cache_reply(&api->file, key, 0, reply))
		return true;
	if (document != NULL)
		text_cache_put(&api->file, key, observer_view(document), reply);
	return document != NULL;
}

static void on_read(int result, const json_t *document,
		    const struct errmsg *error, void *arg)
{
	struct loading *l = arg;

	if (l->call == NULL) {
		free(l);
		return;
	}
	if (result == 0 && !reply_file(l, document)) {
		config_read_file(l->api->cfg.config, 0, on_read, l);
		return;
	}
	if (result == -ENOENT)
		reply_error(call_reply(l->call), 404,
			    "there is no configuration file");
	else if (result < 0)
		reply_error(call_reply(l->call), 500,
			    "the configuration file: %s", error->text);
	call_finish(l->call);
	free(l);
}

static void config_get(struct api *api, const char *id, enum status_span span,
		       struct reply *reply)
{
	const struct config *config = api->cfg.config;
	uint64_t key = config_versions(config);

	(void)id, (void)span;
	/* the cast: only the reference count of the document changes */
	if (!text_cache_reply(&api->document, key, 0, reply))
		text_cache_put(&api->document, key,
			       json_incref((json_t *)config_document(config)),
			       reply);
}

/* Replies with the configuration; to an observer with the file, without its
 * secrets, or 404 without a file. */
static void config_load(struct api *api, const json_t *request,
			struct reply *reply)
{
	struct loading *l;

	(void)request;
	if (reply_caller(reply)->type == USER_CONTROL) {
		config_get(api, "", STATUS_MINUTE, reply);
	} else if (config_path(api->cfg.config) == NULL) {
		reply_error(reply, 404, "there is no configuration file");
	} else {
		l = xcalloc(1, sizeof *l);
		l->api = api;
		reply_later_into(reply, &l->call);
		config_read_file(api->cfg.config,
				 text_cache_key(&api->file, reply), on_read, l);
	}
}

static void warn(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	(void)severity;
	warnings_add(arg, path, text);
}

/* Returns the errors and warnings that `sluice -t' would report, a new list.
 * files: findings about files. */
static json_t *find_warnings(const struct api *api, const json_t *document,
			     const struct findings *files)
{
	struct findings found = { 0 };
	json_t *list = json_array();

	(void)check_document(document, NULL, findings_add, &found);
	if (!api->cfg.options->no_web_auth)
		check_lockout(document, true, findings_add, &found);
	unknown_keys_find(document, findings_add, &found);
	idle_streams_find(document, findings_add, &found);
	check_host(document, HOST_NETWORK, findings_add, &found);
	findings_repeat(files, findings_add, &found);
	write_paths_find_all_own(api->cfg.own_paths, document, findings_add,
				 &found);
	findings_report(&found, warn, list);
	findings_done(&found);
	return list;
}

/* Replies with the effects of an upload: those of the next restart. */
static void foresee(struct api *api, const json_t *wanted,
		    struct reply *reply)
{
	json_t *changes, *effects = effects_of_restart(api, wanted, &changes);

	reply_effects(reply, "upload", effects);
	(void)json_object_set_new(reply->body, "changes", changes);
	section_warnings_add(find_warnings(api, wanted, &reply->call->files),
			     reply);
}

static void config_put(struct api *api, const json_t *request,
		       struct reply *reply)
{
	const json_t *wanted = edit_get(request, "config");
	struct errmsg error;

	if (wanted == NULL)
		reply_drop(reply, "upload: config");
	else if (!json_is_object(wanted))
		reply_error(reply, 400, "config: is not an object");
	else if (config_path(api->cfg.config) == NULL)
		reply_error(reply, 404, "there is no configuration file");
	else if (!edit_is_as_known(request, "configuration",
				   config_document(api->cfg.config), reply))
		return;
	else if (write_paths_judge(api->cfg.write_paths, wanted, &error) < 0)
		reply_error(reply, 400, "config.%s", error.text);
	else if (!certificate_judge(api, json_object_get(wanted, "settings"),
				    reply, config_put))
		return;
	else if ((effects_only(request) || users_wants_warnings(request)) &&
		 !host_files_judge(api->files, wanted, reply, config_put))
		return;
	else if (effects_only(request))
		foresee(api, wanted, reply);
	else
		saved_upload(api, wanted, reply, "upload",
			     users_wants_warnings(request)
				     ? find_warnings(api, wanted,
						     &reply->call->files)
				     : NULL);
}

const struct api_command config_commands[] = {
	{ "load", config_load, OBSERVER_ALLOWED, 0 },
	{ "upload", config_put, OBSERVER_HIDDEN, COMMAND_DRY },
	{ 0 },
};

const struct api_path config_paths[] = {
	{ "api/config", PATH_ALONE, OBSERVER_HIDDEN,
	  .get = config_get },
	{ 0 },
};

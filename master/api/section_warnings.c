/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/section_warnings.h"

#include "common/base/log.h"
#include "common/base/util.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/config/check.h"
#include "master/config/check_host.h"
#include "master/config/findings.h"
#include "master/config/unknown_keys.h"
#include "master/config/write_paths.h"
#include "master/setup/options.h"

#include <string.h>

enum { WARNINGS_MAX = 20 };

/* Collects the findings about a section, and then its warnings. */
struct warned {
	const char *key;
	struct findings found;
	json_t *list; /* list of warnings; NULL: they are only logged */
	bool quiet;   /* the request is a dry run: nothing is logged */
	unsigned n;
};

/* A check_found_fn that keeps findings about this section, and ignores findings
 * about other sections, which the command does not change. */
static void keep(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	struct warned *w = arg;
	size_t len = strlen(w->key);

	/* path "": the key of the section is unknown */
	if (path[0] == '\0' || (strncmp(path, w->key, len) == 0 &&
				strchr(".[", path[len]) != NULL))
		findings_add(severity, path, text, &w->found);
}

static void put(enum check_severity severity, const char *path,
		const char *text, void *arg)
{
	struct warned *w = arg;
	json_t *said;

	(void)severity;
	/* limited, because a request can have thousands of warnings */
	if (w->n++ >= WARNINGS_MAX)
		return;
	said = warning_text(path, text);
	if (!w->quiet)
		log_warning("config", "%s", json_string_value(said));
	if (w->list != NULL)
		(void)json_array_append(w->list, said);
	json_decref(said);
}

/* Returns a document with the new section and the sections to which it can
 * refer, a new reference. */
static json_t *document_with(const struct api *api, const char *key,
			     const json_t *value)
{
	static const char *const others[] = { "settings", "auth", "categories",
					      "softcam", "cas", "dvb_tune",
					      "make_stream" };
	json_t *document = json_object();

	/* the casts: only the reference counts of the values change */
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		(void)json_object_set(document, others[i],
				      (json_t *)(uintptr_t)config_section(
					      api->cfg.config, others[i]));
	(void)json_object_set(document, key, (json_t *)(uintptr_t)value);
	return document;
}

void section_warnings_add(json_t *take_list, struct reply *reply)
{
	json_t *list = json_object_get(reply->body, "warnings");
	json_t *all = take_list;

	if (all != NULL && list != NULL)
		(void)json_array_extend(all, list);
	if (json_array_size(all) > 0)
		(void)json_object_set(reply->body, "warnings", all);
	json_decref(all);
}

json_t *section_warnings(struct api *api, const json_t *request,
			 const char *key, const json_t *value,
			 const struct findings *files)
{
	struct warned w = {
		.key = key,
		.list = users_wants_warnings(request) ? json_array() : NULL,
		.quiet = effects_only(request),
	};
	json_t *document;

	if (value == NULL)
		return w.list;
	document = document_with(api, key, value);
	(void)check_document(document, NULL, keep, &w);
	if (!api->cfg.options->no_web_auth)
		check_lockout(document, config_path(api->cfg.config) != NULL,
			      keep, &w);
	unknown_keys_find(document, keep, &w);
	idle_streams_find(document, keep, &w);
	check_host(document, HOST_NETWORK, keep, &w);
	findings_repeat(files, keep, &w);
	write_paths_find_all_own(api->cfg.own_paths, document, keep, &w);
	findings_report(&w.found, put, &w);
	findings_done(&w.found);
	json_decref(document);
	return w.list;
}

struct warned_entry {
	const struct check_entry *entry;
	const char *name;
	struct reply *reply; /* NULL: the warnings are only logged */
	unsigned n;
};

static void keep_entry(enum check_severity severity, const char *path,
		       const char *text, void *arg)
{
	struct warned_entry *w = arg;
	const char *rest = path + strlen(w->entry->path);

	(void)severity;
	if (w->n++ >= WARNINGS_MAX)
		return;
	if (w->reply != NULL)
		reply_warn(w->reply, path, text);
	if (w->name != NULL)
		log_warning(w->entry->path, "%s: %s%s%s", w->name,
			    *rest == '.' ? rest + 1 : "",
			    *rest == '.' ? ": " : "", text);
}

void entry_warnings(const json_t *request, const struct check_entry *entry,
		    const char *name, struct reply *reply)
{
	struct warned_entry w = {
		.entry = entry,
		.name = name,
		.reply = users_wants_warnings(request) ? reply : NULL,
	};

	check_entry(entry, keep_entry, &w);
	unknown_keys_find_entry(entry, keep_entry, &w);
	if (strcmp(entry->section, "dvb_tune") == 0)
		check_host_adapter(entry->entry, keep_entry, &w);
}

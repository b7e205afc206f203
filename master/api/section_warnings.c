/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/section_warnings.h"

#include "common/base/log.h"
#include "common/base/mono.h"
#include "master/api/edit.h"
#include "master/api/effects.h"
#include "master/config/check.h"
#include "master/config/unknown_keys.h"
#include "master/config/write_paths.h"

#include <string.h>

enum { WARNINGS_MAX = 20 };

struct warned {
	struct api *api;
	const char *key;
	json_t *list; /* of texts; NULL: only logged */
	bool quiet;   /* nothing is stored, so nothing is logged */
};

static void add(const struct warned *w, const char *path, const char *text)
{
	if (json_array_size(w->list) < WARNINGS_MAX)
		(void)json_array_append_new(
			w->list, json_sprintf("%s%s%s", path,
					      path[0] != '\0' ? ": " : "",
					      text));
}

/* A finding of another section is about a document that is not complete. */
static void keep(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	const struct warned *w = arg;
	size_t len = strlen(w->key);

	if (severity == CHECK_WARNING && strncmp(path, w->key, len) == 0 &&
	    (path[len] == '.' || path[len] == '\0'))
		add(w, path, text);
}

static void keep_unknown(enum check_severity severity, const char *path,
			 const char *text, void *arg)
{
	const struct warned *w = arg;
	unsigned suppressed;

	(void)severity;
	add(w, path, text);
	/* a request can have thousands of them */
	if (!w->quiet &&
	    ratelimit_pass(&w->api->odd_limit, mono_ms(), &suppressed))
		log_warning("config", "%s%s%s", path,
			    path[0] != '\0' ? ": " : "", text);
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
			 const char *key, const json_t *value)
{
	struct warned w = {
		.api = api,
		.key = key,
		.list = users_wants_warnings(request) ? json_array() : NULL,
		.quiet = effects_only(request),
	};
	json_t *document = value != NULL ? json_object() : NULL;

	/* only its count of references changes */
	(void)json_object_set(document, key, (json_t *)value);
	if (w.list != NULL && json_is_object(value) &&
	    (strcmp(key, "settings") == 0 || strcmp(key, "log") == 0 ||
	     strcmp(key, "auth") == 0))
		(void)check_document(document, NULL, keep, &w);
	unknown_keys_find(document, keep_unknown, &w);
	idle_streams_find(document, keep_unknown, &w);
	write_paths_find_all_own(api->cfg.own_paths, document, keep_unknown,
				 &w);
	json_decref(document);
	return w.list;
}

struct warned_entry {
	const struct check_entry *entry;
	const char *name;
	struct reply *reply; /* NULL: only logged */
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
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/apply.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "master/api/edit.h"
#include "master/api/recordings.h"
#include "master/config/check.h"
#include "master/config/link_graph.h"
#include "master/config/place_names.h"
#include "master/config/stream_conf.h"
#include "master/config/stream_links.h"
#include "master/config/unknown_keys.h"
#include "master/config/write_paths.h"
#include "master/streams/reconciler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct judged {
	const json_t *document;
	struct errmsg *error; /* the first error */
	/* pairs of path and text, each with its NUL; may be NULL */
	struct buf *warnings;
};

/* A check_found_fn.  A client knows streams by their id, not by their index. */
static void keep(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	struct judged *f = arg;
	char *sentence = place_names_add(f->document, text);

	if (severity != CHECK_WARNING && f->error->text[0] == '\0')
		errmsg_set(f->error, "%s: %s", path, sentence);
	if (severity == CHECK_WARNING && f->warnings != NULL)
		apply_add_warning(severity, path, sentence, f->warnings);
	free(sentence);
}

/* Logs a warning about a stream.  what: the key that it concerns; NULL: the
 * whole stream. */
static void warn_stream(const char *id, const char *what, const char *text)
{
	char *name = xasprintf("stream %s", id);

	log_warning(name, "%s%s%s", what != NULL ? what : "",
		    what != NULL ? ": " : "", text);
	free(name);
}

static struct check_place place_of(const struct api *api, const char *self)
{
	return (struct check_place){
		.path = "stream",
		.document = config_document(api->cfg.config),
		.neighbours = config_streams(api->cfg.config),
		.self = self,
		.control = &api->cfg.control,
	};
}

int apply_judge(struct api *api, const json_t *stream, const char *self,
		struct errmsg *error, struct buf *warnings)
{
	struct check_place place = place_of(api, self);
	struct judged f = { place.document, error, warnings };

	error->text[0] = '\0';
	if (check_stream(stream, &place, keep, &f) > 0)
		return -EINVAL;
	unknown_keys_find_stream(stream, place.path, keep, &f);
	write_paths_find_own(api->cfg.own_paths, stream, &place, keep, &f);
	return 0;
}

void apply_add_warning(enum check_severity severity, const char *path,
		       const char *text, void *warnings)
{
	(void)severity;
	buf_append(warnings, path, strlen(path) + 1);
	buf_append(warnings, text, strlen(text) + 1);
}

void apply_warn(struct api *api, const char *id, struct buf *warnings,
		struct reply *reply)
{
	while (buf_len(warnings) > 0) {
		const char *path = (const char *)buf_head(warnings);
		const char *text = path + strlen(path) + 1;
		size_t len = (size_t)(text - path) + strlen(text) + 1;
		unsigned suppressed;

		if (reply != NULL)
			reply_warn(reply, path, text);
		/* limited, because a request can have thousands of warnings */
		if (id != NULL &&
		    ratelimit_pass(&api->odd_limit, mono_ms(), &suppressed)) {
			if (suppressed > 0)
				log_warning("config", "%u more warnings about "
					    "streams were suppressed",
					    suppressed);
			/* the log names the stream by its id, so "stream" is
			 * cut from the path */
			if (strcmp(path, "stream") == 0)
				path = NULL;
			else if (strncmp(path, "stream.", 7) == 0)
				path += 7;
			warn_stream(id, path, text);
		}
		buf_take(warnings, len);
	}
	buf_done(warnings);
}

/* Adds a warning if entries of the section (streams or adapters) read this
 * stream, which was removed (stream NULL) or disabled. */
static void add_readers(const struct api *api, struct buf *warnings,
			const char *section, const char *id,
			const json_t *stream)
{
	const char *path = stream != NULL ? "stream.enable" : "stream";
	const char *what = stream != NULL ? "disabled" : "removed";
	char *ids = stream_links_readers(config_section(api->cfg.config,
							section), id);
	char *text;

	if (ids == NULL)
		return;
	text = strcmp(section, ADAPTERS) == 0
		? xasprintf("the stream is %s, but adapters read it: %s", what,
			    ids)
		: xasprintf("the stream is %s, but stream:// inputs of %s "
			    "read it", what, ids);
	apply_add_warning(CHECK_WARNING, path, text, warnings);
	free(text);
	free(ids);
}

static void warn_readers(struct api *api, const char *id, const json_t *stream,
			 bool is_stored, struct reply *reply)
{
	struct buf warnings = { 0 };

	if (json_is_true(json_object_get(stream, "enable")))
		return;
	add_readers(api, &warnings, STREAMS, id, stream);
	add_readers(api, &warnings, ADAPTERS, id, stream);
	apply_warn(api, is_stored ? id : NULL, &warnings, reply);
}

void apply_warn_readers(struct api *api, const char *id, const json_t *stream,
			struct reply *reply)
{
	warn_readers(api, id, stream, true, reply);
}

void apply_foresee_readers(struct api *api, const char *id,
			   const json_t *stream, struct reply *reply)
{
	warn_readers(api, id, stream, false, reply);
}

void apply_warn_idle(const char *id, const json_t *stream)
{
	struct errmsg idle;

	if (json_is_true(json_object_get(stream, "enable")) &&
	    check_stream_idle(stream, &idle))
		warn_stream(id, "does not run", idle.text);
}

/* Starts a stream.  If it cannot run, removes it from the reconciler, and sets
 * the reason in its status.  error: the reason; NULL: the stream has no error,
 * and runs if it has something to send. */
static void settle(struct api *api, const char *id, const json_t *stream,
		   const char *error)
{
	const struct stream_conf *conf = stream_confs_get(
		config_streams(api->cfg.config), stream);
	struct errmsg idle;

	if (error != NULL && conf->is_enabled)
		warn_stream(id, "does not run", error);
	if (error == NULL && check_stream_idle(stream, &idle))
		error = idle.text;
	reconciler_set_cas(api->cfg.reconciler,
			   config_section(api->cfg.config, "cas"));
	status_set_stream(api->cfg.status, id, conf, error);
	if (error == NULL)
		reconciler_set_stream(api->cfg.reconciler, id, conf);
	else
		reconciler_remove_stream(api->cfg.reconciler, id);
}

void apply_stream(struct api *api, const char *id, const json_t *stream)
{
	settle(api, id, stream, NULL);
}

void apply_kept(struct api *api, const char *id, const json_t *stream)
{
	char *fault = xstrdup(status_fault(api->cfg.status, id));

	settle(api, id, stream, fault);
	free(fault);
}

void apply_rename(struct api *api, const char *from, const char *to)
{
	reconciler_rename_stream(api->cfg.reconciler, from, to);
	status_rename_stream(api->cfg.status, from, to);
}

void apply_removal(struct api *api, const char *id)
{
	reconciler_remove_stream(api->cfg.reconciler, id);
	status_remove_stream(api->cfg.status, id);
}

void apply_all(struct api *api, bool waiting_only)
{
	struct check_place place = place_of(api, NULL);
	const json_t *stream;
	struct link_graph links;
	size_t i;

	link_graph_init(&links, json_object_get(place.document, STREAMS),
			json_object_get(place.document, ADAPTERS));
	place.links = &links;
	json_array_foreach(json_object_get(place.document, STREAMS), i,
			   stream) {
		const char *id = edit_text(stream, "id");
		struct errmsg error = { 0 }, idle;
		struct judged f = { place.document, &error, NULL };

		if (id == NULL || (waiting_only &&
				   (!status_fault(api->cfg.status, id) ||
				    check_stream_idle(stream, &idle))))
			continue;
		/* of streams with the same id, only the first one runs: a
		 * request with this id reaches no other */
		if (config_stream(api->cfg.config, id) != stream)
			continue;
		(void)check_stream_at(i, &place, keep, &f);
		if (error.text[0] == '\0' || !waiting_only)
			settle(api, id, stream,
			       error.text[0] != '\0' ? error.text : NULL);
		if (error.text[0] == '\0')
			apply_warn_idle(id, stream);
	}
	link_graph_done(&links);
}

void apply_waiting(struct api *api)
{
	recordings_apply(api);
	if (status_has_faults(api->cfg.status))
		apply_all(api, true);
}

void apply_announce(struct api *api, const json_t *stream, bool with_gid)
{
	json_t *message = edit_message("set-stream");

	/* the cast: only the reference count of the stream changes */
	(void)json_object_set(message, "stream", (json_t *)stream);
	if (with_gid)
		edit_add_gid(api, message);
	edit_announce(api, message);
}

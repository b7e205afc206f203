/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/apply.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "master/api/edit.h"
#include "master/config/check.h"
#include "master/config/unknown_keys.h"
#include "master/streams/reconciler.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARNINGS_MAX = 20 };

struct findings {
	struct errmsg *why; /* the first fault */
	struct buf *odd;    /* path, text, path … ; NULL: nobody asks */
};

static void keep(enum check_severity severity, const char *path,
		 const char *text, void *arg)
{
	struct findings *f = arg;

	if (severity != CHECK_WARNING && f->why->text[0] == '\0')
		errmsg_set(f->why, "%s: %s", path, text);
	if (severity == CHECK_WARNING && f->odd != NULL) {
		buf_append(f->odd, path, strlen(path) + 1);
		buf_append(f->odd, text, strlen(text) + 1);
	}
}

static void warn_stream(const char *id, const char *what, const char *text)
{
	char *name = xasprintf("stream %s", id);

	log_warning(name, "%s: %s", what, text);
	free(name);
}

/* One request can hold thousands of odd things. */
static void log_odd(struct api *api, const char *id, const char *path,
		    const char *text)
{
	unsigned suppressed;

	if (!ratelimit_pass(&api->odd_limit, mono_ms(), &suppressed))
		return;
	if (suppressed > 0)
		log_warning("config", "%u more lines about odd things were "
			    "suppressed", suppressed);
	if (strncmp(path, "stream.", 7) == 0)
		path += 7; /* the line begins with the stream */
	warn_stream(id, path, text);
}

static struct check_place place_of(const struct api *api, const char *self)
{
	return (struct check_place){
		.path = "stream",
		.document = config_document(api->cfg.config),
		.self = self,
		.control = &api->cfg.control,
	};
}

int apply_judge(struct api *api, const json_t *stream, const char *self,
		struct errmsg *why, struct buf *odd)
{
	struct check_place place = place_of(api, self);
	struct findings f = { why, odd };

	why->text[0] = '\0';
	if (check_stream(stream, &place, keep, &f) > 0)
		return -EINVAL;
	slips_find_near(stream, place.path, keep, &f);
	return 0;
}

/* The answer names as many as a person may read. */
static void tell_odd(struct reply *reply, const char *path, const char *text)
{
	json_t *list = json_object_get(reply->body, "warnings");
	char *line;

	if (list == NULL) {
		list = json_array();
		(void)json_object_set_new(reply->body, "warnings", list);
	}
	if (json_array_size(list) >= WARNINGS_MAX)
		return;
	line = xasprintf("%s: %s", path, text);
	(void)json_array_append_new(list, json_string(line));
	free(line);
}

void apply_warn(struct api *api, const char *id, struct buf *odd,
		struct reply *reply)
{
	while (buf_len(odd) > 0) {
		const char *path = (const char *)buf_head(odd);
		const char *text = path + strlen(path) + 1;

		tell_odd(reply, path, text);
		log_odd(api, id, path, text);
		buf_take(odd, (size_t)(text - path) + strlen(text) + 1);
	}
	buf_done(odd);
}

/* fault: why it cannot run, NULL when only its own content decides. */
static void settle(struct api *api, const char *id, const json_t *stream,
		   const char *fault)
{
	struct errmsg idle;

	if (fault == NULL && check_stream_idle(stream, &idle))
		fault = idle.text;
	status_set_stream(api->cfg.status, id, stream, fault);
	if (fault == NULL)
		reconciler_set_stream(api->cfg.reconciler, id, stream);
	else
		reconciler_remove_stream(api->cfg.reconciler, id);
	if (fault != NULL && json_is_true(json_object_get(stream, "enable")))
		warn_stream(id, "is not run", fault);
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

void apply_removal(struct api *api, const char *id)
{
	reconciler_remove_stream(api->cfg.reconciler, id);
	status_remove_stream(api->cfg.status, id);
}

/* The first fault of each stream of the document, by its place. */
struct faults {
	size_t n;
	struct errmsg *texts; /* "" = none */
};

static void note_fault(enum check_severity severity, const char *path,
		       const char *text, void *arg)
{
	struct faults *f = arg;
	size_t i;

	if (severity == CHECK_WARNING ||
	    sscanf(path, "make_stream[%zu]", &i) != 1 || i >= f->n)
		return;
	if (f->texts[i].text[0] == '\0')
		errmsg_set(&f->texts[i], "%s: %s", path, text);
}

static struct faults judge_all(struct api *api)
{
	const json_t *document = config_document(api->cfg.config);
	struct faults f;

	f.n = json_array_size(json_object_get(document, "make_stream"));
	f.texts = xcalloc(f.n + 1, sizeof *f.texts);
	(void)check_document(document, &api->cfg.control, note_fault, &f);
	return f;
}

/* It did not run, and nothing stands in its way any more. */
static bool may_start(struct api *api, const json_t *stream, const char *id,
		      const char *fault)
{
	struct errmsg idle;

	return fault[0] == '\0' && !check_stream_idle(stream, &idle) &&
	       status_fault(api->cfg.status, id) != NULL;
}

/* waiting_only: leave alone what runs and what still cannot. */
static void settle_all(struct api *api, const struct faults *f,
		       bool waiting_only)
{
	const json_t *streams = json_object_get(
		config_document(api->cfg.config), "make_stream");
	const json_t *stream;
	size_t i;

	json_array_foreach((json_t *)streams, i, stream) {
		const char *id = json_string_value(
			json_object_get(stream, "id"));
		const char *fault = f->texts[i].text;

		/* without an id, or with that of another: nobody can name it */
		if (id == NULL || config_stream(api->cfg.config, id) != stream)
			continue;
		if (waiting_only && !may_start(api, stream, id, fault))
			continue;
		settle(api, id, stream, fault[0] != '\0' ? fault : NULL);
	}
}

void apply_all(struct api *api)
{
	struct faults f = judge_all(api);

	settle_all(api, &f, false);
	free(f.texts);
}

void apply_waiting(struct api *api)
{
	struct faults f;

	if (!status_has_faults(api->cfg.status))
		return;
	f = judge_all(api);
	settle_all(api, &f, true);
	free(f.texts);
}

static void announce(struct api *api, json_t *stream, bool with_gid)
{
	json_t *message = edit_message("set-stream");

	(void)json_object_set_new(message, "stream", stream);
	if (with_gid)
		edit_add_gid(api, message);
	edit_announce(api, message);
}

void apply_announce(struct api *api, const json_t *stream, bool with_gid)
{
	/* only its count of references changes */
	announce(api, json_incref((json_t *)stream), with_gid);
}

void apply_announce_removal(struct api *api, const char *id, bool up)
{
	announce(api, edit_removal(id, up), false);
}

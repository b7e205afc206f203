/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/config.h"

#include "common/alloc.h"
#include "master/config/check.h"
#include "master/config/document.h"
#include "master/config/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SAVE_RETRY_MIN_MS = 1000,
	SAVE_RETRY_MAX_MS = 60000,
};

struct config {
	json_t *document;
	char *path;          /* NULL without a file */
	struct save *save;   /* NULL without a file */
	struct save *backup; /* likewise */
	struct reader *reader; /* likewise */
};

static char *format_document(size_t *ret_len, void *arg)
{
	const struct config *c = arg;

	return document_format(c->document, ret_len);
}

/* Keeps the first reason why the document cannot be used. */
static void note_fatal(enum check_severity severity, const char *path,
		       const char *text, void *arg)
{
	struct errmsg *why = arg;

	if (severity == CHECK_FATAL && why->text[0] == '\0')
		errmsg_set(why, "%s%s%s", path, path[0] != '\0' ? ": " : "",
			   text);
}

static json_t *load(const char *path, struct errmsg *why)
{
	struct errmsg fatal = { 0 };
	json_t *document = NULL;
	int r = path != NULL ? document_load(path, &document, why) : -ENOENT;

	if (r == -ENOENT)
		return json_object();
	if (r < 0)
		return NULL;
	(void)check_document(document, NULL, note_fatal, &fatal);
	if (fatal.text[0] == '\0')
		return document;
	json_decref(document);
	errmsg_set(why, "%s", fatal.text);
	return NULL;
}

static void open_saves(struct config *c, const char *path,
		       struct ev_loop *loop)
{
	char *backup = xasprintf("%s.backup", path);
	struct save_config cfg = {
		.loop = loop,
		.path = path,
		.delay_ms = CONFIG_SAVE_DELAY_MS,
		.retry_min_ms = SAVE_RETRY_MIN_MS,
		.retry_max_ms = SAVE_RETRY_MAX_MS,
		.text = format_document,
		.arg = c,
	};

	c->save = save_new(&cfg);
	cfg.path = backup;
	cfg.delay_ms = CONFIG_BACKUP_DELAY_MS;
	cfg.settle = true;
	c->backup = save_new(&cfg);
	free(backup);
}

struct config *config_open(const char *path, struct ev_loop *loop,
			   struct errmsg *why)
{
	json_t *document = load(path, why);
	struct config *c;

	if (document == NULL) {
		errmsg_prefix(why, "%s: ", path);
		return NULL;
	}
	c = xcalloc(1, sizeof *c);
	c->document = document;
	c->path = xstrdup(path);
	if (path != NULL) {
		open_saves(c, path, loop);
		c->reader = reader_new(loop, path);
	}
	return c;
}

void config_close(struct config **p)
{
	struct config *c = *p;

	*p = NULL;
	if (c == NULL)
		return;
	save_free(&c->save);
	save_free(&c->backup);
	reader_free(&c->reader);
	json_decref(c->document);
	free(c->path);
	free(c);
}

const json_t *config_document(const struct config *c)
{
	return c->document;
}

const json_t *config_section(const struct config *c, const char *key)
{
	return json_object_get(c->document, key);
}

void config_set_section(struct config *c, const char *key, json_t *value)
{
	if (value == NULL)
		(void)json_object_del(c->document, key);
	else
		(void)json_object_set_new(c->document, key, value);
	config_touch(c);
}

const json_t *config_setting(const struct config *c, const char *key)
{
	return json_object_get(json_object_get(c->document, "settings"), key);
}

/* The place of id in the list, or its length. */
static size_t find_stream(const json_t *streams, const char *id)
{
	size_t n = json_array_size(streams);
	size_t i;

	for (i = 0; i < n; i++) {
		const char *other = json_string_value(
			json_object_get(json_array_get(streams, i), "id"));

		if (other != NULL && strcmp(other, id) == 0)
			break;
	}
	return i;
}

const json_t *config_stream(const struct config *c, const char *id)
{
	const json_t *streams = json_object_get(c->document, "make_stream");

	return json_array_get(streams, find_stream(streams, id));
}

void config_put_stream(struct config *c, const char *old_id, json_t *stream)
{
	json_t *streams = json_object_get(c->document, "make_stream");
	size_t at;

	if (streams == NULL) {
		streams = json_array();
		(void)json_object_set_new(c->document, "make_stream", streams);
	}
	at = old_id != NULL ? find_stream(streams, old_id)
			    : json_array_size(streams);
	if (at < json_array_size(streams))
		(void)json_array_set_new(streams, at, stream);
	else
		(void)json_array_append_new(streams, stream);
	config_touch(c);
}

void config_remove_stream(struct config *c, const char *id)
{
	json_t *streams = json_object_get(c->document, "make_stream");

	(void)json_array_remove(streams, find_stream(streams, id));
	config_touch(c);
}

const json_t *config_user(const struct config *c, const char *login)
{
	return json_object_get(json_object_get(c->document, "users"), login);
}

void config_put_user(struct config *c, const char *login, json_t *entry)
{
	json_t *users = json_object_get(c->document, "users");

	/* an empty list is how some write an empty object */
	if (!json_is_object(users)) {
		users = json_object();
		(void)json_object_set_new(c->document, "users", users);
	}
	(void)json_object_set_new(users, login, entry);
	config_touch(c);
}

void config_remove_user(struct config *c, const char *login)
{
	(void)json_object_del(json_object_get(c->document, "users"), login);
	config_touch(c);
}

json_int_t config_gid(const struct config *c)
{
	const json_t *gid = json_object_get(c->document, "gid");

	return json_is_integer(gid) ? json_integer_value(gid) : -1;
}

void config_set_gid(struct config *c, json_int_t gid)
{
	(void)json_object_set_new(c->document, "gid", json_integer(gid));
	config_touch(c);
}

void config_touch(struct config *c)
{
	if (c->save == NULL)
		return;
	save_touch(c->save);
	save_touch(c->backup);
}

const char *config_path(const struct config *c)
{
	return c->path;
}

void config_save_now(struct config *c, save_done_fn *done, void *arg)
{
	save_now(c->save, done, arg);
}

void config_replace(struct config *c, const json_t *document)
{
	json_decref(c->document);
	c->document = json_deep_copy(document);
	if (c->document == NULL)
		abort();
	if (c->backup != NULL)
		save_touch(c->backup);
}

bool config_is_saved(const struct config *c)
{
	return c->save == NULL || save_is_idle(c->save);
}

void config_upload(struct config *c, const json_t *document,
		   save_done_fn *done, void *arg)
{
	size_t len;
	char *text = document_format(document, &len);

	save_text(c->save, text, len, done, arg);
}

void config_read_file(struct config *c, reader_done_fn *done, void *arg)
{
	reader_read(c->reader, done, arg);
}

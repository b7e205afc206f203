/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/config.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/document/crash_guard.h"
#include "common/document/document.h"
#include "common/document/save.h"
#include "master/config/authors.h"
#include "master/config/entry.h"
#include "master/config/loadable.h"
#include "master/config/stored.h"
#include "master/config/stream_conf.h"
#include "master/config/uploaded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	SAVE_RETRY_MIN_MS = 1000,
	SAVE_RETRY_MAX_MS = 60000,
};

struct config {
	struct ev_loop *loop;
	json_t *document;
	json_t *settings;    /* settings in force; NULL: none */
	char *path;          /* NULL: no file */
	struct save *save;   /* saves the file; NULL: no file */
	struct save *backup; /* saves FILE.backup; NULL: no file */
	struct reader *reader; /* reads the file; NULL: no file */
	struct crash_guard *guard; /* NULL before config_guard() */
	json_t *alarms;        /* {subject: sentence} */
	struct stream_confs *streams; /* result of the last config_streams() */
	bool streams_changed;         /* the document has changed since then */
	struct authors authors; /* who made the changes since the last save */
	unsigned changes; /* see config_changes() */
	/* documents written by write_document() since the start */
	unsigned uploads;
	struct uploaded uploaded; /* digest of an upload in the file */
};

static char *format_document(size_t *ret_len, void *arg)
{
	const struct config *c = arg;

	return document_format(c->document, ret_len);
}

static char *take_authors(void *arg)
{
	struct config *c = arg;

	return authors_take(&c->authors);
}

void config_set_author(struct config *c, const char *login)
{
	authors_next(&c->authors, login);
}

/* Replaces the document (taken); its settings are in force at once. */
static void take_document(struct config *c, json_t *document)
{
	json_decref(c->document);
	json_decref(c->settings);
	c->document = document;
	c->streams_changed = true;
	c->settings = json_incref(json_object_get(document, "settings"));
}

/* digest: see config_adopt(). */
static struct config *open_with(const char *path, json_t *take_whole,
				const char *digest, json_t *take_alarms,
				struct ev_loop *loop)
{
	struct save_config saves = {
		.loop = loop,
		.path = path,
		.delay_ms = CONFIG_SAVE_DELAY_MS,
		.revisions = true,
		.retry_min_ms = SAVE_RETRY_MIN_MS,
		.retry_max_ms = SAVE_RETRY_MAX_MS,
		.text = format_document,
		.author = take_authors,
	};
	struct config *c;
	char *backup;

	saves.arg = c = xcalloc(1, sizeof *c);
	c->alarms = take_alarms;
	c->streams = stream_confs_new();
	take_document(c, take_whole);
	c->loop = loop;
	c->path = xstrdup(path);
	if (path == NULL)
		return c;
	stored_close(path);
	c->reader = reader_new(loop, path);
	c->save = save_new(&saves);
	save_known(c->save, digest);
	backup = xasprintf("%s.backup", path);
	saves.path = backup;
	saves.delay_ms = CONFIG_BACKUP_DELAY_MS;
	saves.settle = true;
	saves.author = NULL;
	saves.revisions = false;
	c->backup = save_new(&saves);
	free(backup);
	return c;
}

struct config *config_open(const char *path, struct ev_loop *loop,
			   struct errmsg *error)
{
	json_t *alarms = json_object();
	char digest[DOCUMENT_DIGEST_TEXT];
	json_t *document = stored_load(path, alarms, digest, error);

	if (document != NULL)
		return open_with(path, document, digest, alarms, loop);
	json_decref(alarms);
	errmsg_prefix(error, "%s: ", path);
	return NULL;
}

struct config *config_adopt(const char *path, json_t *take_document,
			    const char *digest, struct ev_loop *loop)
{
	return open_with(path, take_document, digest, json_object(), loop);
}

static void format_digest(char ret[SECRET_TEXT], void *arg)
{
	const struct config *c = arg;

	loadable_digest(c->document, ret);
}

/* Returns to the last good version; false: there is none. */
static bool roll_back(struct config *c, const char *digest)
{
	char now[DOCUMENT_DIGEST_TEXT];
	char *source = NULL;
	json_t *document = stored_fallback(c->path,
					   crash_guard_good(c->guard), digest,
					   &source);
	json_t *users;

	if (document == NULL) {
		log_error("config", "the service has crashed %d times within "
			  "a minute of its start with the configuration "
			  "%s, and no older version of it is stored",
			  CRASH_GUARD_MAX,
			  c->path);
		return false;
	}
	/* The older version may have fewer users or their former passwords.  (A
	 * document without users would make the service create a first
	 * user.) */
	users = json_object_get(c->document, "users");
	if (users != NULL)
		(void)json_object_set(document, "users", users);
	stored_alarm(c->alarms, c->path,
		     xasprintf("the service has crashed %d times within a "
			       "minute of its start with %s: it runs with the "
			       "older version %s; later changes are not in "
			       "effect, except to user accounts",
			       CRASH_GUARD_MAX, c->path, source));
	stored_replace(c->path, document, c->alarms, now);
	save_known(c->save, now);
	take_document(c, document);
	free(source);
	return true;
}

void config_guard(struct config *c, const char *state_path)
{
	char digest[SECRET_TEXT];
	bool rolled_back = false;

	if (c->path == NULL || state_path == NULL)
		return;
	c->guard = crash_guard_open(&(struct crash_guard_config){
		.loop = c->loop,
		.path = state_path,
		.digest = format_digest,
		.arg = c,
	});
	loadable_digest(c->document, digest);
	if (crash_guard_is_deadly(c->guard, digest))
		rolled_back = roll_back(c, digest);
	if (rolled_back)
		loadable_digest(c->document, digest);
	crash_guard_begin(c->guard, digest, rolled_back);
}

void config_end(struct config *c)
{
	if (c->guard != NULL)
		crash_guard_end(c->guard);
}

void config_raise_alarm(struct config *c, const char *subject,
			const char *sentence)
{
	stored_alarm(c->alarms, subject, xstrdup(sentence));
}

const json_t *config_alarms(const struct config *c)
{
	return c->alarms;
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
	crash_guard_close(&c->guard);
	stream_confs_free(&c->streams);
	json_decref(c->document);
	json_decref(c->settings);
	json_decref(c->alarms);
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
	c->streams_changed = true;
	config_touch(c);
}

void config_change_settings(struct config *c, settings_change_fn *change,
			    const void *arg)
{
	json_t *stored = change(config_section(c, "settings"), arg);
	json_t *in_force = change(c->settings, arg);

	if (in_force != NULL) {
		json_decref(c->settings);
		c->settings = in_force;
	}
	if (stored != NULL)
		config_set_section(c, "settings", stored);
}

const json_t *config_settings(const struct config *c)
{
	return c->settings;
}

const json_t *config_setting(const struct config *c, const char *key)
{
	return json_object_get(c->settings, key);
}

const struct stream_confs *config_streams(struct config *c)
{
	if (c->streams_changed)
		stream_confs_set(c->streams, json_object_get(c->document,
							     "make_stream"));
	c->streams_changed = false;
	return c->streams;
}

const json_t *config_stream(const struct config *c, const char *id)
{
	const json_t *streams = json_object_get(c->document, "make_stream");

	return entry_find(streams, "id", id);
}

void config_put_stream(struct config *c, const char *old_id, json_t *stream)
{
	json_t *streams = json_object_get(c->document, "make_stream");
	size_t at;

	if (streams == NULL) {
		streams = json_array();
		(void)json_object_set_new(c->document, "make_stream", streams);
	}
	at = entry_place(streams, 0, "id", old_id);
	if (at < json_array_size(streams))
		(void)json_array_set_new(streams, at, stream);
	else
		(void)json_array_append_new(streams, stream);
	c->streams_changed = true;
	config_touch(c);
}

const json_t *config_user(const struct config *c, const char *login)
{
	return json_object_get(json_object_get(c->document, "users"), login);
}

void config_put_user(struct config *c, const char *login, json_t *entry)
{
	json_t *users = json_object_get(c->document, "users");

	/* replaces [], because some clients write an empty object so */
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

unsigned config_changes(const struct config *c)
{
	return c->changes;
}

unsigned config_versions(const struct config *c)
{
	return c->changes + c->uploads;
}

bool config_save_error(const struct config *c, struct errmsg *ret)
{
	const char *error = c->save != NULL ? save_error(c->save) : NULL;
	const char *of = "";

	if (error == NULL && c->backup != NULL) {
		error = save_error(c->backup);
		of = ".backup";
	}
	if (error != NULL)
		errmsg_set(ret, "%s%s is not saved: %s", c->path, of, error);
	return error != NULL;
}

/* Notes a change that the file already has, or is about to get. */
static void note_change(struct config *c)
{
	c->changes++;
	if (c->backup != NULL)
		save_touch(c->backup);
	if (c->guard != NULL)
		crash_guard_touch(c->guard);
}

void config_touch(struct config *c)
{
	note_change(c);
	if (c->save == NULL)
		return;
	uploaded_forget(&c->uploaded);
	authors_add(&c->authors);
	save_touch(c->save);
}

unsigned config_backup_ms(const struct config *c)
{
	return c->backup != NULL ? save_left_ms(c->backup) : 0;
}

void config_backup_in(struct config *c, unsigned ms)
{
	if (c->backup != NULL)
		save_touch_in(c->backup, ms);
}

const char *config_path(const struct config *c)
{
	return c->path;
}

void config_save_now(struct config *c, save_done_fn *done, void *arg)
{
	save_now(c->save, done, arg);
}

void config_catch_up(struct config *c, save_done_fn *done, void *arg)
{
	save_catch_up(c->save, done, arg);
}

void config_join(struct config *c, save_done_fn *done, void *arg)
{
	save_join(c->save, done, arg);
}

bool config_is_writing(const struct config *c)
{
	return c->save != NULL && save_is_writing(c->save);
}

void config_wait(struct config *c, save_done_fn *done, void *arg)
{
	save_wait(c->save, done, arg);
}

void config_flush(struct config *c)
{
	/* saves only if a save waits for its delay: otherwise the file may
	 * contain an upload, which must stay */
	if (c->save != NULL && save_left_ms(c->save) > 0)
		save_touch_in(c->save, 0);
}

void config_replace(struct config *c, const json_t *document, bool in_force)
{
	json_t *copy = json_deep_copy(document);
	json_t *settings = json_incref(c->settings);

	if (copy == NULL)
		abort();
	c->changes++;
	uploaded_forget(&c->uploaded);
	if (c->save != NULL)
		save_known(c->save, reader_digest(c->reader));
	take_document(c, copy);
	if (!in_force) {
		json_decref(c->settings);
		c->settings = json_incref(settings);
	}
	json_decref(settings);
	if (c->backup != NULL)
		save_touch(c->backup);
	if (c->guard != NULL)
		crash_guard_touch(c->guard);
}

bool config_is_saved(const struct config *c)
{
	return c->save == NULL || save_is_idle(c->save);
}

/* Writes a document to the file.  in_effect: see save_text().  take_write: the
 * result of uploaded_begin(). */
static void write_document(struct config *c, const json_t *document,
			   bool in_effect, struct uploaded_write *take_write)
{
	size_t len;
	char *text = document_format(document, &len);

	c->uploads++;
	authors_add(&c->authors);
	save_text(c->save, text, len, in_effect, uploaded_end, take_write);
}

void config_upload(struct config *c, const json_t *document,
		   save_done_fn *done, void *arg)
{
	write_document(c, document, json_equal(document, c->document),
		       uploaded_begin(&c->uploaded, document, done, arg));
}

/* Sets members of the document; a member that is null is removed. */
static void put_members(json_t *document, const json_t *members)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)members, key, value)
		if (json_is_null(value))
			(void)json_object_del(document, key);
		else
			(void)json_object_set(document, key, value);
}

json_t *config_with(const struct config *c, const json_t *members)
{
	json_t *document = json_copy(c->document);

	put_members(document, members);
	return document;
}

void config_write_members(struct config *c, const json_t *members,
			  save_done_fn *done, void *arg)
{
	json_t *document = config_with(c, members);

	write_document(c, document, true,
		       uploaded_begin(&c->uploaded, NULL, done, arg));
	json_decref(document);
}

void config_put_members(struct config *c, const json_t *members)
{
	put_members(c->document, members);
	c->streams_changed = true;
	/* if a change since config_write_members() is being saved, it replaces
	 * the written file, so the members must be saved again */
	if (c->save != NULL && save_is_idle(c->save))
		note_change(c);
	else
		config_touch(c);
}

json_t *config_known(const struct config *c)
{
	char own[SECRET_TEXT];
	json_t *list = json_array();

	loadable_digest(c->document, own);
	(void)json_array_append_new(list, json_string(own));
	if (c->uploaded.digest[0] != '\0')
		(void)json_array_append_new(list, json_string(
						  c->uploaded.digest));
	return list;
}

void config_read_file(struct config *c, uint64_t known, reader_done_fn *done,
		      void *arg)
{
	reader_read(c->reader, known, done, arg);
}

uint64_t config_file_version(const struct config *c)
{
	return reader_version(c->reader);
}

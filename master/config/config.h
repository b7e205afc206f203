/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration: one JSON document in memory, and its file.
 *
 * Unknown keys are kept.  A change is applied to the document whole or not at
 * all, and saved one second later: temporary file, fsync, rename, fsync of the
 * folder, in a helper thread.  A save that fails is logged and retried; the
 * old file stays intact.  An hour after the last change a copy goes to
 * FILE.backup.  A save keeps the replaced file as FILE.1, and so on to FILE.10.
 * Without a file nothing is saved.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "common/document/reader.h"
#include "common/document/save.h"

#include <jansson.h>
#include <stdbool.h>

struct ev_loop;
struct config;
struct stream_confs;

enum {
	CONFIG_SAVE_DELAY_MS = 1000,
	CONFIG_BACKUP_DELAY_MS = 3600 * 1000,
	CONFIG_FILE_MAX = 64 * 1024 * 1024,
};

/*
 * path may be NULL (nothing is read or saved).  A file that does not exist yet
 * is an empty configuration.  A damaged file is replaced by the newest usable
 * one of FILE.backup and the revisions, with an alarm.  NULL with an error when
 * there is none, or when the file cannot be read.
 */
struct config *config_open(const char *path, struct ev_loop *,
			   struct errmsg *error);
/* The configuration with this document, which is not read from the file at
 * path; changes are saved there. */
struct config *config_adopt(const char *path, json_t *take_document,
			    struct ev_loop *);
/* Saves the last changes (blocking, at the end of the process). */
void config_close(struct config **);

/*
 * Returns to the last good configuration, with an alarm, when the service has
 * crashed three times with the configuration that was read; its users stay.
 * The file state_path (may be NULL) has the count.  Call it once, before the
 * document is used.  Blocks.
 */
void config_guard(struct config *, const char *state_path);

/* The process is about to be replaced in an orderly way. */
void config_end(struct config *);

/* Counts the documents since the start: changes, which replace the file, and
 * those that were adopted from it. */
unsigned config_changes(const struct config *);
/* Counts the contents that the file got or is about to get: these documents and
 * uploads. */
unsigned config_versions(const struct config *);
/* Why the last change is not on disk; false: it is, or is about to be. */
bool config_save_error(const struct config *, struct errmsg *ret);

/* Logs the sentence and adds it to the alarms, until the service starts again:
 * a setting of the configuration, the subject, is not in force. */
void config_raise_alarm(struct config *, const char *subject,
			const char *sentence);

/* Alarms about the configuration: sentences by their subjects (a file, a
 * setting), borrowed. */
const json_t *config_alarms(const struct config *);

/* The whole document, borrowed; never NULL. */
const json_t *config_document(const struct config *);

/* A member of the document, or NULL. */
const json_t *config_section(const struct config *, const char *key);
/* Puts value (reference taken) there; NULL removes the member. */
void config_set_section(struct config *, const char *key, json_t *value);

/* A changed copy of the settings, which may be NULL; NULL: nothing changes. */
typedef json_t *settings_change_fn(const json_t *settings, const void *arg);

/* Changes the settings that are stored and those that are in force. */
void config_change_settings(struct config *, settings_change_fn *,
			    const void *arg);

/* The settings that are in force, borrowed, or NULL: those of the start or the
 * last reload, not those that were stored since. */
const json_t *config_settings(const struct config *);

/* A member of them, or NULL. */
const json_t *config_setting(const struct config *, const char *key);

/* The streams with their addresses parsed, borrowed until the next change. */
const struct stream_confs *config_streams(struct config *);

/* The stream object, borrowed, or NULL. */
const json_t *config_stream(const struct config *, const char *id);

/* Puts stream (reference taken) in the place of old_id, or at the end when
 * old_id is NULL. */
void config_put_stream(struct config *, const char *old_id, json_t *stream);

/* The entry of a login, borrowed, or NULL. */
const json_t *config_user(const struct config *, const char *login);

/* Puts entry (reference taken) in the place of the one the login has. */
void config_put_user(struct config *, const char *login, json_t *entry);
void config_remove_user(struct config *, const char *login);

/* The id counter: -1 when the document has none. */
json_int_t config_gid(const struct config *);
void config_set_gid(struct config *, json_int_t gid);

/* The next changes are this user's (NULL, or "-" without accounts: unknown);
 * the revisions of the file have the name. */
void config_set_author(struct config *, const char *login);

/* Schedules the save; every mutator above does so itself. */
void config_touch(struct config *);

/* The time until the backup is due, for the next master; 0: none is due. */
unsigned config_backup_ms(const struct config *);
void config_backup_in(struct config *, unsigned ms);

/* NULL without a file. */
const char *config_path(const struct config *);

/* Saves the document at once.  Needs a file.  done: see save_now(). */
void config_save_now(struct config *, save_done_fn *done, void *arg);

/* Saves at once what waits for its save, as save_catch_up().  Needs a file. */
void config_catch_up(struct config *, save_done_fn *done, void *arg);

/* Writes a change that waits for its save at once. */
void config_flush(struct config *);

/* Adopts a document (borrowed) that is in the file already.  in_force: its
 * settings too; else they wait for a restart. */
void config_replace(struct config *, const json_t *document, bool in_force);

/* All changes are on disk, and no write is in progress; or there is no file. */
bool config_is_saved(const struct config *);

/* Writes another document to the file; there is one.  The document in memory
 * stays, and replaces the file when it changes again. */
void config_upload(struct config *, const json_t *document,
		   save_done_fn *done, void *arg);

/* The document with these members instead of its own; a member that is null is
 * left out.  The caller owns the result, which shares values with both. */
json_t *config_with(const struct config *, const json_t *members);

/* Writes config_with() to the file; there is one.  The document in memory
 * stays: see config_put_members(). */
void config_write_members(struct config *, const json_t *members,
			  save_done_fn *done, void *arg);

/* Puts members that were written, or without a file; one that is null is
 * removed. */
void config_put_members(struct config *, const json_t *members);

/* The digests (loadable_digest()) of the documents that the file may have from
 * this service: the running one, and one that was uploaded and that no change
 * has replaced.  The caller owns the array. */
json_t *config_known(const struct config *);

/* Reads the file; there is one.  known and done are those of reader_read(). */
void config_read_file(struct config *, uint64_t known, reader_done_fn *done,
		      void *arg);
/* reader_version() of the file. */
uint64_t config_file_version(const struct config *);

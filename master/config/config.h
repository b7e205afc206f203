/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration: one JSON document in memory, and its file.
 *
 * Unknown keys are kept.  A change is applied to the document whole or not at
 * all, and saved one second later in a helper thread: temporary file, fsync,
 * rename, fsync of the folder.  A save that fails is logged and repeated; the
 * old file stays intact.  An hour after the last change, a copy is written to
 * FILE.backup.  A save keeps the replaced file as FILE.1, and older ones up to
 * FILE.10.  Without a file nothing is saved.
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
 * Reads the configuration.  path NULL: nothing is read or saved.  A file that
 * does not exist is an empty configuration.  A damaged file is replaced by the
 * newest usable version of FILE.backup and the revisions, with an alarm.
 * Returns NULL with error if there is no such version, or if the file cannot be
 * read.
 */
struct config *config_open(const char *path, struct ev_loop *,
			   struct errmsg *error);
/* Makes the configuration of a document that a previous master had, or that was
 * read already; changes are saved to path.  digest: the document_digest() of
 * the file with this document; "": the file has another one. */
struct config *config_adopt(const char *path, json_t *take_document,
			    const char *digest, struct ev_loop *);
/* Saves the last changes and frees the configuration.  Blocks; for the end of
 * the process. */
void config_close(struct config **);

/*
 * If the service has crashed three times with the configuration that was read,
 * returns to the last good one, with an alarm; the users stay.  The file
 * state_path has the count; NULL, or no configuration file: does nothing.
 * Call it once, before the document is used.  Blocks.
 */
void config_guard(struct config *, const char *state_path);

/* The process is about to be replaced: its end does not count as a crash. */
void config_end(struct config *);

/* Returns how many documents there were since the start: changes by commands,
 * and documents that were read from the file. */
unsigned config_changes(const struct config *);
/* Returns how many contents the file got or is about to get since the start:
 * those of config_changes(), and uploads. */
unsigned config_versions(const struct config *);
/* True: the last change, or FILE.backup, could not be saved; ret has the
 * reason.  False: both are on disk, or will be. */
bool config_save_error(const struct config *, struct errmsg *ret);

/* Logs a sentence and adds it to the alarms until the next start of the
 * service.  subject: the setting that is not in force. */
void config_raise_alarm(struct config *, const char *subject,
			const char *sentence);

/* Returns the alarms about the configuration: {subject: sentence}, borrowed.  A
 * subject is a file or a setting. */
const json_t *config_alarms(const struct config *);

/* Returns the whole document, borrowed; never NULL. */
const json_t *config_document(const struct config *);

/* Returns a member of the document, borrowed; NULL: none. */
const json_t *config_section(const struct config *, const char *key);
/* Sets a member of the document to value (reference taken); NULL removes it. */
void config_set_section(struct config *, const char *key, json_t *value);

/* Returns a changed copy of the settings (may be NULL), a new reference; NULL:
 * nothing changes. */
typedef json_t *settings_change_fn(const json_t *settings, const void *arg);

/* Changes both the stored settings and those in force. */
void config_change_settings(struct config *, settings_change_fn *,
			    const void *arg);

/* Returns the settings in force, borrowed; NULL: none.  They are those of the
 * start or of the last config_replace() with in_force, with the later changes
 * of config_change_settings(); not those that commands stored since. */
const json_t *config_settings(const struct config *);

/* Returns a member of the settings in force, borrowed; NULL: none. */
const json_t *config_setting(const struct config *, const char *key);

/* Returns the streams with parsed addresses, borrowed until the next change. */
const struct stream_confs *config_streams(struct config *);

/* Returns the object of a stream, borrowed; NULL: none. */
const json_t *config_stream(const struct config *, const char *id);

/* Replaces the stream with the id old_id by stream (reference taken); old_id
 * NULL or unknown: adds it at the end. */
void config_put_stream(struct config *, const char *old_id, json_t *stream);

/* Returns the entry of a login, borrowed; NULL: none. */
const json_t *config_user(const struct config *, const char *login);

/* Sets the entry (reference taken) of a login. */
void config_put_user(struct config *, const char *login, json_t *entry);
void config_remove_user(struct config *, const char *login);

/* Returns the id counter; -1: the document has none. */
json_int_t config_gid(const struct config *);
void config_set_gid(struct config *, json_int_t gid);

/* Sets the user of the next changes, whose name the revisions of the file have;
 * NULL, or "-" without accounts: unknown. */
void config_set_author(struct config *, const char *login);

/* Schedules a save.  The functions above that change the document call it. */
void config_touch(struct config *);

/* Returns the milliseconds until FILE.backup is due, for the next master; 0: it
 * is not due. */
unsigned config_backup_ms(const struct config *);
void config_backup_in(struct config *, unsigned ms);

/* Returns the path of the file; NULL: there is no file. */
const char *config_path(const struct config *);

/* Saves the document at once; there must be a file.  done: as for
 * save_now(). */
void config_save_now(struct config *, save_done_fn *done, void *arg);

/* Saves at once all changes that are not saved yet; there must be a file.
 * done: as for save_catch_up(). */
void config_catch_up(struct config *, save_done_fn *done, void *arg);

/* Waits until all changes are saved after their usual delay; there must be a
 * file.  done: as for save_join(). */
void config_join(struct config *, save_done_fn *done, void *arg);

/* True: the file is being written, and no later change waits for its save. */
bool config_is_writing(const struct config *);

/* Waits for a write of the file, which must exist, in progress; saves nothing.
 * done: as for save_wait(). */
void config_wait(struct config *, save_done_fn *done, void *arg);

/* Begins at once a save that waits for its delay. */
void config_flush(struct config *);

/* Takes a document (borrowed) that the file already has.  in_force: its
 * settings are in force as well; false: they wait for a restart. */
void config_replace(struct config *, const json_t *document, bool in_force);

/* True: there is no file, or all changes are on disk and no write is in
 * progress. */
bool config_is_saved(const struct config *);

/* Writes another document to the file, which must exist.  The document in
 * memory stays, and overwrites the file at its next change. */
void config_upload(struct config *, const json_t *document,
		   save_done_fn *done, void *arg);

/* Returns the document with these members; a member that is null is left out.
 * The caller owns the result, which shares values with both. */
json_t *config_with(const struct config *, const json_t *members);

/* Writes config_with() to the file, which must exist.  The document in memory
 * stays until config_put_members(). */
void config_write_members(struct config *, const json_t *members,
			  save_done_fn *done, void *arg);

/* Sets members in memory after config_write_members(), or if there is no file;
 * a member that is null is removed. */
void config_put_members(struct config *, const json_t *members);

/* Returns the digests (loadable_digest()) of the documents that this service
 * may have written to the file: the running one, and an upload that no change
 * has overwritten yet.  The caller owns the array. */
json_t *config_known(const struct config *);

/* Reads the file, which must exist.  known and done: as for reader_read(). */
void config_read_file(struct config *, uint64_t known, reader_done_fn *done,
		      void *arg);
/* Returns reader_version() of the file, which must exist. */
uint64_t config_file_version(const struct config *);

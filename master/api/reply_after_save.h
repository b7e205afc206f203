/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers a request once the configuration file is written. */
#pragma once

#include "master/api/command.h"

/* Applies members that were saved: calls config_put_members() and applies what
 * needs no restart. */
typedef void saved_fn(struct api *, const char *command,
		      const json_t *members);

struct saved_change {
	const char *command; /* constant text */
	json_t *take_members; /* as for config_write_members() */
	json_t *take_warnings; /* NULL: none */
	saved_fn *apply;
};

/* Saves the members at once, and then applies them and tries the new instance,
 * which replaces this one a second after the answer {command: "ok"}.  If the
 * trial fails, `warnings' of the answer begins with the reason; take_warnings
 * follow.  If the save fails, answers 500 with the reason, and nothing
 * changes. */
void saved_reply(struct api *, struct reply *, const struct saved_change *);

/* Writes an uploaded document to the file, and answers {command: "ok"} with
 * take_warnings (NULL: none), or 500 with the reason.  The document in memory
 * stays, and no restart follows. */
void saved_upload(struct api *, const json_t *document, struct reply *,
		  const char *command, json_t *take_warnings);

/* Lets the new instance replace this one in a second, but while the restart is
 * held, a second after its release.  A stream that changes before already uses
 * the settings of the new instance. */
void saved_restart_soon(struct api *);

/* A restart that is due, or becomes due, would cut a reply: it waits until
 * saved_restart_release() was called as often as this function, and then a
 * second. */
void saved_restart_hold(struct api *);
void saved_restart_release(struct api *);

/* Saves all unsaved changes, tries the new instance and answers {command:
 * "ok"}, or 500 or 503 with the reason.  The restart follows a second after the
 * answer (dry: no restart).  If the client leaves before the save has ended,
 * there is neither a trial nor a restart.  interrupt: the restart may replace
 * workers of another protocol. */
void saved_restart(struct api *, struct reply *, const char *command,
		   bool interrupt, bool dry);

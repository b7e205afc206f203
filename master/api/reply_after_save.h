/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers requests when the configuration file is written, and restarts the
 * service afterwards. */
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

/* Saves the members at once, applies them, and runs a trial of the new
 * instance.  After the trial answers {command: "ok"}; a second later the new
 * instance replaces this one.  If the trial fails, there is no restart, and
 * `warnings' of the answer has the reason, followed by take_warnings.  If the
 * save fails, answers 500 with the reason, and nothing changes. */
void saved_reply(struct api *, struct reply *, const struct saved_change *);

/* Writes an uploaded document to the file, and answers {command: "ok"} with
 * take_warnings (NULL: none), or 500 with the reason.  The document in memory
 * stays, and no restart follows. */
void saved_upload(struct api *, const json_t *document, struct reply *,
		  const char *command, json_t *take_warnings);

/* Has the new instance replace this one in a second; while the restart is held,
 * a second after the last release.  A stream that changes before the restart
 * already uses the settings of the new instance. */
void saved_restart_soon(struct api *);

/* Holds a restart that is due or becomes due, because it would cut off a reply.
 * The restart follows a second after saved_restart_release() was called as
 * often as saved_restart_hold(). */
void saved_restart_hold(struct api *);
void saved_restart_release(struct api *);

/* Saves all unsaved changes, runs a trial of the new instance, and answers
 * {command: "ok"}, or 500 or 503 with the reason.  The restart follows a second
 * after the answer.  dry: answers with the effects of the restart, and does not
 * restart.  If the client leaves before the save has ended, there is neither a
 * trial nor a restart.  interrupt: the restart may replace workers of another
 * protocol. */
void saved_restart(struct api *, struct reply *, const char *command,
		   bool interrupt, bool dry);

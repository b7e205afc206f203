/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers a request once the configuration file is written. */
#pragma once

#include "master/api/command.h"

/* Applies members that are on disk: config_put_members(), and what follows. */
typedef void saved_fn(struct api *, const char *command,
		      const json_t *members);

struct saved_change {
	const char *command; /* static */
	json_t *take_members; /* as for config_write_members() */
	json_t *take_warnings; /* NULL: none */
	saved_fn *apply;
};

/* Saves the members at once, and applies them when that is done; then tries the
 * new instance, which replaces this one a second after the answer, and answers
 * {command: "ok"}.  If it cannot, `warnings' has the reason in front of
 * take_warnings.  When the members are not saved: 500 with the reason, and
 * nothing changes. */
void saved_reply(struct api *, struct reply *, const struct saved_change *);

/* As saved_reply(), for an uploaded document: it is written to the file, and
 * the document in memory stays.  take_warnings: NULL: none. */
void saved_upload(struct api *, const json_t *document, struct reply *,
		  const char *command, json_t *take_warnings);

/* The new instance replaces this one in a second.  A stream that changes until
 * then starts with its settings. */
void saved_restart_soon(struct api *);

/* A restart that is due, or becomes due, waits for a reply, which it would cut:
 * until as many releases as holds have come, and then a second. */
void saved_restart_hold(struct api *);
void saved_restart_release(struct api *);

/* Saves what is not saved yet, tries the new instance and answers {command:
 * "ok"}, or 500 or 503 with the reason.  The restart follows a second after the
 * answer (dry: it does not).  Nothing follows if the client left before all was
 * saved.
 * interrupt: it may replace workers of another protocol. */
void saved_restart(struct api *, struct reply *, const char *command,
		   bool interrupt, bool dry);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers a request once the configuration file is written. */
#pragma once

#include "master/api/command.h"

/* Saves at once and answers {command: "ok"} when that is done, or 500 with the
 * reason; the change stays in memory then, and its save is tried again.  With
 * restart the new instance is tried after the save, and replaces this one a
 * second after the answer.  If it cannot, `warnings' has the reason
 * in front of take_warnings, which may be NULL. */
void saved_reply(struct api *, struct reply *, const char *command,
		 bool restart, json_t *take_warnings);

/* As saved_reply(), for an uploaded document: it is written to the file, and
 * the document in memory stays. */
void saved_upload(struct api *, const json_t *document, struct reply *,
		  const char *command);

/* The new instance replaces this one in a second. */
void saved_restart_soon(struct api *);

/* A restart that is due, or becomes due, waits for a reply, which it would cut:
 * until as many releases as holds have come, and then a second. */
void saved_restart_hold(struct api *);
void saved_restart_release(struct api *);

/* Tries the new instance and answers {command: "ok"}, or 503 with the reason.
 * The restart follows a second after the answer (dry: it does not).
 * interrupt: it may replace workers of another protocol. */
void saved_restart(struct api *, struct reply *, const char *command,
		   bool interrupt, bool dry);

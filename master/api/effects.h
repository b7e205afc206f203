/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a command would interrupt, for a request with dry_run.
 *
 *	{ "streams": [{ "id": "news", "change": "restart", "viewers": 41 }],
 *	  "viewers": 41, "restart": false }
 *
 * change: "start", "restart" (the viewers stay, the output pauses) or "stop".
 * viewers: number of viewers of the streams that restart or stop.  restart:
 * true if the service restarts.
 */
#pragma once

#include "master/api/command.h"
#include "master/streams/stream_proc.h"

#include <jansson.h>
#include <stdbool.h>

/* True: the request has `dry_run' true. */
bool effects_only(const json_t *request);

/* Returns a new object without effects. */
json_t *effects_new(void);
void effects_add_restart(json_t *effects);
/* Adds the effect on a stream. */
void effects_add(json_t *effects, const struct api *, const char *id,
		 enum stream_change);
/* Adds the effect of a change in which the stream `id' gets this object; NULL:
 * the stream is removed.  settings: those of the next start; NULL: those in
 * force. */
void effects_add_stream(json_t *effects, const struct api *, const char *id,
			const json_t *stream, const json_t *settings);
/* Adds the effects on all streams of a change to these settings, which applies
 * with a restart of the service. */
void effects_add_settings(json_t *effects, const struct api *,
			  const json_t *settings);
/* Returns the effects of a restart with this document, a new reference.
 * *ret_changes: the result of changes_list() from the present document to this
 * one, a new reference. */
json_t *effects_of_restart(const struct api *, const json_t *document,
			   json_t **ret_changes);

/* Replies 200 with {command: "ok", "dry_run": true, "effects": …}; takes the
 * effects. */
void reply_effects(struct reply *, const char *command, json_t *take_effects);

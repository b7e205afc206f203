/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends the splice commands (SCTE 35) of the operator, on a PID that the PMT
 * lists (remux.h).  Each command repeats every second until the picture of its
 * time is sent, which is before that picture is presented.  Between commands a
 * splice_null is the heartbeat.  A new command replaces an earlier one of the
 * same event.
 *
 * Times are those of the stream as it is sent, so that pts_adjustment is 0; a
 * later stage that moves the clock moves the field too (cue.h).
 */
#pragma once

#include "worker/ts/packet.h"

#include <jansson.h>

struct cue_memory;
struct errmsg;
struct own_cue;
struct msg_stream_cue;
struct psi;
struct table_stage;

/* Borrows the tables of the stream, the stage and the memory, whose commands
 * continue. */
struct own_cue *own_cue_new(uint16_t pid, const struct psi *,
			    struct table_stage *, struct cue_memory *);
/* NULL-safe; sets *c to NULL. */
void own_cue_free(struct own_cue **);

/* Call it when the programs of the stream have changed. */
void own_cue_use(struct own_cue *);

/* Takes the clock of the stream, and ends commands whose time has come. */
void own_cue_feed(struct own_cue *, const struct ts_run *runs, size_t n_runs,
		  uint64_t now_ns);

/* Sends a command.  False with a sentence: it cannot be sent. */
bool own_cue_send(struct own_cue *, const struct msg_stream_cue *,
		  uint64_t now_ns, struct errmsg *error);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports the splice commands (SCTE 35) of the output to the master, each once.
 * It reports neither repetitions nor heartbeats (splice_null).
 *
 * The number of reports in a second has a limit.  A command above the limit is
 * reported at its next repetition.  A stream without a PID of such commands
 * costs nothing.
 *
 * Pure but for the reports: time is an argument.
 */
#pragma once

#include "worker/ts/packet.h"

struct cue_watch;
struct msg;
struct psi;

enum {
	/* PIDs of splice commands that are read; further ones are ignored */
	CUE_WATCH_PIDS = 8,
	CUE_WATCH_PER_S = 10,
	CUE_WATCH_BYTES = 8192,  /* most bytes of a report (JSON) */
	/* the same command within this time is a repetition */
	CUE_WATCH_SAME_S = 10,
};

/* Borrows the tables of the packets that it gets.  send() sends a report; its
 * result does not matter. */
struct cue_watch *cue_watch_new(const struct psi *,
				int (*send)(const struct msg *, void *arg),
				void *arg);
/* NULL-safe; sets *w to NULL. */
void cue_watch_free(struct cue_watch **);

void cue_watch_feed(struct cue_watch *, const struct ts_run *runs,
		    size_t n_runs, uint64_t now_ns);

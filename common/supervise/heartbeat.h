/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges the heartbeats of a worker: too many, or none.  Embedded.
 *
 * pace rejects heartbeats that come more often than once a second.  Heartbeats
 * that were sent in time and are read late, because the loop of the master was
 * blocked, are accepted for up to PACE_BEHIND_MS.  Pure.
 *
 * cpu_watch distinguishes a worker that hangs from a worker that waits for an
 * overloaded machine, by its CPU time and its waiting time for a processor.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	/* shortest time between two heartbeats: a second with tolerance */
	PACE_BEAT_MS = 900,
	PACE_AHEAD_MS = 5000, /* tolerance for early heartbeats */
	PACE_BEHIND_MS = 300000, /* tolerance for heartbeats read late */
};

struct pace {
	/* monotonic: the start plus PACE_BEAT_MS for each heartbeat */
	uint64_t beats_ms;
};

void pace_start(struct pace *, uint64_t now_ms);

/* Counts a heartbeat.  False when it came too early. */
bool pace_beat(struct pace *, uint64_t now_ms) MUST_CHECK;

enum {
	/* CPU time with which a process counts as not starved */
	CPU_SHARE_ENOUGH_MS = 1500,
};

/* The times of the first thread of a process since its start. */
struct cpu_share {
	uint64_t at_ns; /* monotonic time of the measurement */
	uint64_t ran_ns; /* CPU time of the thread */
	/* time in which the thread was ready to run, but had no processor */
	uint64_t waited_ns;
};

/* Reads the times of a process from /proc/PID/schedstat.  0, or -errno when the
 * kernel lacks the file or hides the process. */
int cpu_share_read(pid_t, struct cpu_share *ret) MUST_CHECK;

/* True when the process waited for a processor for at least a quarter of the
 * time between the measurements and ran for less than CPU_SHARE_ENOUGH_MS. */
bool cpu_share_is_starved(const struct cpu_share *before,
			  const struct cpu_share *now);

/* Measures a worker that starts, or has no heartbeat; embedded. */
struct cpu_watch {
	struct cpu_share before; /* the first measurement; at_ns 0: it failed */
	pid_t pid;
	const char *missing;
	bool logged;
};

/* Starts the measurement.  missing, borrowed: what the worker does not send,
 * "no status". */
void cpu_watch_begin(struct cpu_watch *, pid_t, const char *missing);

/* True when the worker starved since cpu_watch_begin().  Logs it the first
 * time. */
bool cpu_watch_excuses(struct cpu_watch *, const char *name);

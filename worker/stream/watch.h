/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A place of the data path that is watched: an input as it comes, or the
 * stream as it goes out.  Owns the monitor; the log has a line for what is
 * raised and what is cleared.
 */
#pragma once

#include "common/ratelimit.h"
#include "worker/analysis/monitor.h"

/* Embedded; zeroed memory watches nothing. */
struct watch {
	struct monitor *monitor; /* NULL: not watched */
	unsigned position;       /* of the input; 0: the output */
	uint32_t raised;         /* bits by enum alarm_id */
	uint32_t told;           /* to the log */
	struct ratelimit log;
};

void watch_begin(struct watch *, unsigned position, uint64_t now_ns);
void watch_done(struct watch *);

/* Another source begins. */
void watch_reset(struct watch *, uint64_t now_ns);

void watch_feed(struct watch *, const struct ts_run *runs, size_t n_runs,
		uint64_t now_ns);

/* Ends the second. */
void watch_second(struct watch *, const struct monitor_counts *,
		  uint64_t now_ns);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A monitor at one point of the pipeline (the received packets of an input, or
 * the sent packets), with a line in the log for each alarm that is raised or
 * cleared.  Owns the monitor.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "proto/ipc/msg.h"
#include "worker/analysis/monitor.h"

/* Embedded; zeroed memory watches nothing. */
struct monitor_log {
	/* watches the packets; NULL: nothing is watched */
	struct monitor *monitor;
	/* name in the log: "input 2", "output"; borrowed */
	const char *where;
	alarm_set raised;         /* raised alarms: bits by enum alarm_id */
	/* raised alarms that the source input has logged */
	alarm_set known;
	alarm_set logged;         /* alarms that the log shows as raised */
	struct errmsg logged_error; /* the reason of an alarm, as logged */
	alarm_set reported;       /* alarms that the master knows as raised */
	struct ratelimit log;
};

/* Starts to watch, or watches another source.  psi: as monitor_new(). */
void monitor_log_begin(struct monitor_log *, const struct psi *psi,
		       const char *where, uint64_t now_ns);
void monitor_log_done(struct monitor_log *);

/* Passes packets to the monitor, as monitor_feed(); 0 if nothing is watched. */
uint32_t monitor_log_feed(struct monitor_log *, const struct ts_run *runs,
			  size_t n_runs, const struct ts_skips *skips,
			  uint64_t now_ns);

/* Clears all alarms, because the input is closed. */
void monitor_log_rest(struct monitor_log *);

/* Adds to the status the alarms of this point that changed since *reported, and
 * updates *reported.  A change that has no room there is added to a later
 * status. */
void monitor_log_report(const struct monitor_log *, unsigned place,
			alarm_set raised, alarm_set *reported,
			struct msg_stream_status *);

/* Ends the second.  before: alarms of the source input (bits), which are not
 * logged again for the output.  error: the reason of the alarm unprotected or
 * two_senders; NULL: unknown. */
void monitor_log_second(struct monitor_log *, const struct monitor_counts *,
			alarm_set before, const char *error,
			uint64_t now_ns);

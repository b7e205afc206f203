/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A place of the data path that is watched: an input as it comes, or the
 * stream as it goes out.  Owns the monitor; the log has a line for what is
 * raised and what is cleared.
 */
#pragma once

#include "common/base/ratelimit.h"
#include "proto/ipc/msg.h"
#include "worker/analysis/monitor.h"

/* Embedded; zeroed memory watches nothing. */
struct monitor_log {
	struct monitor *monitor; /* NULL: not watched */
	unsigned position;       /* of the input; 0: the output */
	uint32_t raised;         /* bits by enum alarm_id */
	uint32_t known;          /* of these, told of where they come from */
	uint32_t logged;
	struct errmsg told_why;  /* what is not protected, as logged */
	uint32_t reported;       /* to the master, of this place */
	struct ratelimit log;
};

/* psi: as monitor_new_with(); NULL: the monitor has its own. */
void monitor_log_begin(struct monitor_log *, const struct psi *psi,
                       unsigned position, uint64_t now_ns);
void monitor_log_done(struct monitor_log *);

/* Another source begins. */
void monitor_log_reset(struct monitor_log *, uint64_t now_ns);

void monitor_log_feed(struct monitor_log *, const struct ts_run *runs,
                      size_t n_runs, uint64_t now_ns);

/* Nothing comes here for now, because nothing is wanted. */
void monitor_log_rest(struct monitor_log *);

/* Adds to the status in which alarms a place, that is watched here, is not as
 * it was *reported, and is reported then. */
void monitor_log_report(const struct monitor_log *, unsigned place,
                        uint32_t raised, uint32_t *reported,
                        struct msg_stream_status *);

/* Ends the second.  What is raised now, and was before where the packets come
 * from (bits), is not logged again.
 * why: what is not protected, or who the two senders are, or NULL. */
void monitor_log_second(struct monitor_log *, const struct monitor_counts *,
                        uint32_t before, const char *why, uint64_t now_ns);

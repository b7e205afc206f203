/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits the log lines about denied viewers: permits some lines in each
 * interval, and logs the number of the suppressed ones at its end.
 *
 * Embedded.  Owns one timer, which runs while lines were suppressed; borrows
 * the loop.
 */
#pragma once

#include "common/base/ratelimit.h"

#include <ev.h>

struct denial_log {
	struct ev_loop *loop;
	ev_timer timer;
	struct ratelimit limit; /* may be changed after denial_log_init() */
};

void denial_log_init(struct denial_log *, struct ev_loop *);
/* Logs the number of suppressed lines, and stops the timer. */
void denial_log_done(struct denial_log *);

/* True: this denial may be logged now.  False: it is only counted. */
bool denial_log_pass(struct denial_log *);

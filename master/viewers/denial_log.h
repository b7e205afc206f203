/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines of the log about viewers that are denied: as many as the limit
 * lets pass, and the number of the others when its window ends.
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
/* Logs the number of those that were not logged. */
void denial_log_done(struct denial_log *);

/* May this denial be logged now? */
bool denial_log_pass(struct denial_log *);

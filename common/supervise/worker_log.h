/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs the lines of a worker, and sends it the level of the log. */
#pragma once

#include "common/base/ratelimit.h"
#include "proto/ipc/msg.h"

struct channel;

/* Logs a line of a worker.  Lines above the limit (20 in ten seconds) are
 * counted and dropped.  name: the component in the log, which contains the
 * role: "stream a001". */
void worker_log(struct ratelimit *, const char *name, const char *role,
		const struct msg_worker_log *);

/* Sends the present level of the log, unless *last, the level sent before, is
 * equal. */
void worker_log_follow(enum log_level *last, struct channel *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the log lines of a worker into the log of the master. */
#pragma once

#include "common/base/ratelimit.h"
#include "proto/ipc/msg.h"

/* Logs a line of the worker name ("stream a001") with this role.  Lines above
 * the limit are counted and dropped. */
void worker_log_pass(struct ratelimit *limit, const char *role,
		     const char *name, const struct msg_worker_log *line);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs a line of a worker. */
#pragma once

#include "common/base/ratelimit.h"
#include "proto/ipc/msg.h"

/* Lines above the limit (20 in ten seconds) are counted and dropped.  name: the
 * component in the log, which contains the role: "stream a001". */
void worker_log(struct ratelimit *, const char *name, const char *role,
		const struct msg_worker_log *);

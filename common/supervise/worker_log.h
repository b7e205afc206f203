/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a worker says, in our log. */
#pragma once

#include "common/base/ratelimit.h"
#include "proto/ipc/msg.h"

/* A line of the worker name, "stream a001", of this role; more than limit
 * allows are counted. */
void worker_log_pass(struct ratelimit *limit, const char *role,
		     const char *name, const struct msg_worker_log *line);

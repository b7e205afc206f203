/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Logs refused calls to a listener without flooding the log.
 *
 * A peer with a wrong setting calls every few seconds for days. The same
 * refusal is logged once a minute, followed by the number of refusals in
 * between.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/ratelimit.h"

#include <stdint.h>

enum { REFUSAL_LOG_MS = 60000 };

/* Embedded; zeroed memory is ready. */
struct refusal_log {
	struct ratelimit log;
	struct errmsg last; /* the refusal that was logged last */
	uint64_t last_ms;   /* when it was logged */
	unsigned more;      /* refusals since then that were not logged */
};

/* Adds n refusals. error describes the last one: address and reason. The log
 * line begins with protocol and port: "srt port 9000". */
void refusal_log_add(struct refusal_log *, const char *protocol, unsigned port,
		     const struct errmsg *error, unsigned n, uint64_t now_ms);

/* Logs the number of suppressed refusals when a minute is over. */
void refusal_log_every_second(struct refusal_log *, const char *protocol,
			      unsigned port, uint64_t now_ms);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/refusal_log.h"

#include "common/base/log.h"

#include <string.h>

static void log_count(struct refusal_log *r, const char *protocol,
		      unsigned port)
{
	if (r->more > 0)
		log_warning("stream", "%s port %u: calls refused since the "
			    "last such line: %u",
			    protocol, port, r->more);
	r->more = 0;
}

void refusal_log_add(struct refusal_log *r, const char *protocol, unsigned port,
		     const struct errmsg *error, unsigned n, uint64_t now_ms)
{
	bool known = strcmp(error->text, r->last.text) == 0 &&
		     now_ms - r->last_ms < REFUSAL_LOG_MS;
	unsigned suppressed;

	r->log.window_ms = REFUSAL_LOG_MS;
	if (n == 0)
		return;
	if (known || !ratelimit_pass(&r->log, now_ms, &suppressed)) {
		r->more += n;
		return;
	}
	log_count(r, protocol, port);
	log_warning("stream", "%s port %u: %s", protocol, port, error->text);
	r->more = n - 1;
	r->last = *error;
	r->last_ms = now_ms;
}

void refusal_log_every_second(struct refusal_log *r, const char *protocol,
			      unsigned port, uint64_t now_ms)
{
	if (now_ms - r->last_ms >= REFUSAL_LOG_MS)
		log_count(r, protocol, port);
}

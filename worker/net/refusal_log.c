/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/refusal_log.h"

#include "common/base/log.h"

#include <string.h>

static void tell_count(struct refusals *r, const char *protocol, unsigned port)
{
	if (r->again > 0)
		log_warning("stream", "%s port %u: refused since: %u more",
			    protocol, port, r->again);
	r->again = 0;
}

void refusals_note(struct refusals *r, const char *protocol, unsigned port,
		   const struct errmsg *why, unsigned n, uint64_t now_ms)
{
	bool known = strcmp(why->text, r->told.text) == 0 &&
		     now_ms - r->told_ms < REFUSALS_LOG_MS;
	unsigned suppressed;

	r->log.window_ms = REFUSALS_LOG_MS;
	if (n == 0)
		return;
	if (known || !ratelimit_pass(&r->log, now_ms, &suppressed)) {
		r->again += n;
		return;
	}
	tell_count(r, protocol, port);
	log_warning("stream", "%s port %u: %s", protocol, port, why->text);
	r->again = n - 1;
	r->told = *why;
	r->told_ms = now_ms;
}

void refusals_second(struct refusals *r, const char *protocol, unsigned port,
		     uint64_t now_ms)
{
	if (now_ms - r->told_ms >= REFUSALS_LOG_MS)
		tell_count(r, protocol, port);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ratelimit.h"

enum { DEFAULT_BURST = 5, DEFAULT_WINDOW_MS = 10000 };

bool ratelimit_pass(struct ratelimit *r, uint64_t now_ms,
		    unsigned *ret_suppressed)
{
	unsigned burst = r->burst ? r->burst : DEFAULT_BURST;
	unsigned window = r->window_ms ? r->window_ms : DEFAULT_WINDOW_MS;

	if (now_ms - r->started_ms >= window) {
		r->started_ms = now_ms;
		r->passed = 0;
	}
	if (r->passed >= burst) {
		r->suppressed++;
		return false;
	}
	r->passed++;
	*ret_suppressed = r->suppressed;
	r->suppressed = 0;
	return true;
}

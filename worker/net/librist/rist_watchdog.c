/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_watchdog.h"

#include <stddef.h>

const char *rist_watchdog_check(struct rist_watchdog *p,
				const struct rist_thread_sample *s)
{
	if (s->sleeps != p->sleeps || s->reads) {
		*p = (struct rist_watchdog){ .sleeps = s->sleeps,
					  .ran_ms = s->ran_ms };
		return NULL;
	}
	if (s->ran_ms - p->ran_ms >= RIST_WATCHDOG_LOOP_MS)
		return "a thread of librist runs in a loop";
	p->looks += !s->ready;
	if (p->looks >= RIST_WATCHDOG_CHECKS)
		return "a thread of librist is blocked";
	return NULL;
}

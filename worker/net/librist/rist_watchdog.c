/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_watchdog.h"

#include <stddef.h>

const char *rist_pulse_look(struct rist_pulse *p, const struct rist_sign *s)
{
	if (s->sleeps != p->sleeps || s->reads) {
		*p = (struct rist_pulse){ .sleeps = s->sleeps,
					  .ran_ms = s->ran_ms };
		return NULL;
	}
	if (s->ran_ms - p->ran_ms >= RIST_PULSE_LOOP_MS)
		return "a thread of librist runs in a loop";
	p->looks += !s->ready;
	if (p->looks >= RIST_PULSE_LOOKS)
		return "a thread of librist stands still";
	return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/closed_sessions.h"

void closed_sessions_add(struct closed_sessions *s, uint64_t key,
			 uint64_t now_ms)
{
	if (closed_sessions_has(s, key, now_ms))
		return;
	s->list[s->next] = (struct closed_session){
		key, now_ms + CLOSED_SESSION_MS };
	s->next = (s->next + 1) % CLOSED_SESSIONS_MAX;
}

bool closed_sessions_has(struct closed_sessions *s, uint64_t key,
			 uint64_t now_ms)
{
	for (unsigned i = 0; i < CLOSED_SESSIONS_MAX; i++) {
		struct closed_session *c = &s->list[i];

		if (c->key != key || now_ms >= c->until_ms)
			continue;
		c->until_ms = now_ms + CLOSED_SESSION_MS;
		return true;
	}
	return false;
}

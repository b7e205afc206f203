/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/closed_sessions.h"

#include "common/base/util.h"

static struct closed_session *find(struct closed_sessions *s, uint64_t key,
				   uint64_t now_ms)
{
	for (unsigned i = 0; i < CLOSED_SESSIONS_MAX; i++)
		if (s->list[i].key == key && now_ms < s->list[i].until_ms)
			return &s->list[i];
	return NULL;
}

void closed_sessions_add(struct closed_sessions *s, uint64_t key, bool limit,
			 uint64_t now_ms)
{
	struct closed_session *c = find(s, key, now_ms);

	if (c != NULL) {
		limit = limit && c->limit;
	} else {
		c = &s->list[s->next];
		s->next = (s->next + 1) % CLOSED_SESSIONS_MAX;
	}
	*c = (struct closed_session){
		key, now_ms + CLOSED_SESSION_MS, now_ms, limit };
}

bool closed_sessions_has(struct closed_sessions *s, uint64_t key,
			 uint64_t now_ms)
{
	struct closed_session *c = find(s, key, now_ms);

	if (c == NULL)
		return false;
	if (c->limit && now_ms - c->heard_ms >= CLOSED_RETURN_MS)
		c->until_ms = 0;
	else
		c->until_ms = now_ms + CLOSED_SESSION_MS;
	c->heard_ms = now_ms;
	return c->until_ms > 0;
}

uint64_t closed_sessions_until(const struct closed_sessions *s)
{
	uint64_t until_ms = 0;

	for (unsigned i = 0; i < CLOSED_SESSIONS_MAX; i++)
		until_ms = MAX(until_ms, s->list[i].until_ms);
	return until_ms;
}

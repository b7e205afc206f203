/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_sessions.h"

#include "worker/deliver/viewer.h"

/* Viewers a millisecond, for as long as the process lives, before its numbers
 * could be those of the next one; below MSG_RECEIVER_BIT until 2109. */
enum { NUMBERS_BITS = 10 };

void roster_init(struct roster *r, uint64_t wall_ms)
{
	TAILQ_INIT(&r->viewers);
	r->last = wall_ms << NUMBERS_BITS;
}

void roster_enter(struct roster *r, struct viewer *v)
{
	v->client = ++r->last;
	TAILQ_INSERT_TAIL(&r->viewers, v, in_roster);
}

void roster_leave(struct roster *r, struct viewer *v)
{
	TAILQ_REMOVE(&r->viewers, v, in_roster);
}

struct viewer *roster_find(const struct roster *r, uint64_t client)
{
	struct viewer *v;

	TAILQ_FOREACH(v, &r->viewers, in_roster)
		if (v->client == client)
			break;
	return v;
}

void roster_list(const struct roster *r, uint64_t after, uint64_t now_ms,
		 struct msg_deliver_sessions *ret)
{
	const struct viewer *v;

	ret->n = 0;
	ret->more = false;
	TAILQ_FOREACH(v, &r->viewers, in_roster) {
		if (v->client <= after)
			continue;
		ret->more = ret->n == MSG_SESSIONS_MAX;
		if (ret->more)
			return;
		ret->list[ret->n++] = (struct msg_session){
			.client = v->client,
			.stream = v->stream,
			.peer = v->peer,
			.uptime_s = (now_ms - v->begun_ms) / 1000,
		};
	}
}

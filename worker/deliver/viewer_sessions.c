/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/viewer_sessions.h"

#include "worker/deliver/viewer.h"

/* A worker may number 2^10 viewers per millisecond of its life.  Numbers stay
 * below MSG_RECEIVER_BIT until 2109. */
enum { NUMBERS_BITS = 10 };

void viewer_sessions_init(struct viewer_sessions *r, uint64_t wall_ms)
{
	TAILQ_INIT(&r->viewers);
	r->last = wall_ms << NUMBERS_BITS;
}

void viewer_sessions_add(struct viewer_sessions *r, struct viewer *v)
{
	v->client = ++r->last;
	TAILQ_INSERT_TAIL(&r->viewers, v, in_sessions);
}

void viewer_sessions_remove(struct viewer_sessions *r, struct viewer *v)
{
	TAILQ_REMOVE(&r->viewers, v, in_sessions);
}

struct viewer *viewer_sessions_find(const struct viewer_sessions *r,
				    uint64_t client)
{
	struct viewer *v;

	TAILQ_FOREACH(v, &r->viewers, in_sessions)
		if (v->client == client)
			break;
	return v;
}

void viewer_sessions_list(const struct viewer_sessions *r, uint64_t after,
			  uint64_t now_ms, struct msg_deliver_sessions *ret)
{
	const struct viewer *v;

	ret->n = 0;
	ret->more = false;
	TAILQ_FOREACH(v, &r->viewers, in_sessions) {
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

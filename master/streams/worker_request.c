/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/worker_request.h"

#include "common/loop/timer.h"
#include "proto/ipc/channel.h"

#include <errno.h>

void worker_requests_init(struct worker_requests *rs, struct ev_loop *loop,
			  unsigned max,
			  void (*fail)(struct worker_request *,
				       const char *error))
{
	*rs = (struct worker_requests){ .loop = loop, .fail = fail,
					.max = max };
	TAILQ_INIT(&rs->list);
}

void worker_request_end(struct worker_request *r)
{
	ev_timer_stop(r->owner->loop, &r->deadline);
	TAILQ_REMOVE(&r->owner->list, r, link);
	r->owner->n--;
}

static void fail(struct worker_request *r, const char *error)
{
	worker_request_end(r);
	r->owner->fail(r, error);
}

void worker_requests_down(struct worker_requests *rs)
{
	struct worker_request *r;

	while ((r = TAILQ_FIRST(&rs->list)) != NULL)
		fail(r, "the worker of the stream has ended");
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	fail(container_of(t, struct worker_request, deadline),
	     "no answer from the worker of the stream within 3 s");
}

int worker_request_send(struct worker_requests *rs, struct worker_request *r,
			struct channel *channel, struct msg *m)
{
	bool is_new = r->owner == NULL;
	int err;

	if (is_new && rs->n == rs->max)
		return -EBUSY;
	if (++rs->last_seq == 0)
		rs->last_seq = 1;
	m->seq = rs->last_seq;
	err = channel_send(channel, m, NULL, 0);
	if (err < 0)
		return err;
	r->seq = m->seq;
	if (!is_new)
		return 0;
	r->owner = rs;
	ev_init(&r->deadline, on_deadline);
	timer_start(rs->loop, &r->deadline, WORKER_REQUEST_MS / 1e3);
	TAILQ_INSERT_TAIL(&rs->list, r, link);
	rs->n++;
	return 0;
}

struct worker_request *worker_request_find(const struct worker_requests *rs,
					   uint32_t seq)
{
	struct worker_request *r;

	TAILQ_FOREACH(r, &rs->list, link)
		if (r->seq == seq)
			break;
	return r;
}

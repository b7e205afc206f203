/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_asks.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"
#include "common/loop/timer.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>

struct epg_ask {
	LIST_ENTRY(epg_ask) link;
	struct epg_asks *owner;
	ev_timer deadline;
	uint32_t seq;
	int fd;
	epg_done_fn *done;
	void *arg;
};

void epg_asks_init(struct epg_asks *asks, struct ev_loop *loop)
{
	*asks = (struct epg_asks){ .loop = loop };
	LIST_INIT(&asks->list);
}

/* Ends a question: calls done with the answer, to which it adds the memory, and
 * closes the memory. */
static void end_ask(struct epg_ask *a, struct epg_answer answer)
{
	epg_done_fn *done = a->done;
	int fd = answer.fd = a->fd;
	void *arg = a->arg;

	LIST_REMOVE(a, link);
	ev_timer_stop(a->owner->loop, &a->deadline);
	a->owner->n--;
	free(a);
	done(&answer, arg);
	fd_close(&fd);
}

static void fail_ask(struct epg_ask *a, const char *error)
{
	end_ask(a, (struct epg_answer){ .error = error });
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	fail_ask(container_of(t, struct epg_ask, deadline),
		 "no answer in time");
}

int epg_asks_add(struct epg_asks *asks, const struct epg_question *q,
		 uint32_t *ret_seq)
{
	struct epg_ask *a;
	int fd;

	if (asks->n >= EPG_ASKS_MAX)
		return -EBUSY;
	fd = shared_create("epg", q->size);
	if (fd < 0)
		return fd;
	a = xcalloc(1, sizeof *a);
	*a = (struct epg_ask){ .owner = asks, .fd = fd, .done = q->done,
			       .arg = q->arg };
	a->seq = *ret_seq = asks->last_seq = MAX(asks->last_seq + 1, 1U);
	ev_init(&a->deadline, on_deadline);
	timer_start(asks->loop, &a->deadline, q->limit_s);
	LIST_INSERT_HEAD(&asks->list, a, link);
	asks->n++;
	return fd;
}

void epg_asks_answer(struct epg_asks *asks, uint32_t seq,
		     const struct msg_epg_result *r)
{
	struct epg_ask *a;

	LIST_FOREACH(a, &asks->list, link)
		if (a->seq == seq)
			break;
	if (a == NULL)
		return;
	if (r->len > 0 && (ssize_t)r->len > shared_size(a->fd))
		fail_ask(a, "the answer is longer than its memory");
	else
		end_ask(a, (struct epg_answer){ .len = r->len,
			.hash = r->hash, .error = r->error });
}

void epg_asks_fail(struct epg_asks *asks, const char *error)
{
	while (!LIST_EMPTY(&asks->list))
		fail_ask(LIST_FIRST(&asks->list), error);
}

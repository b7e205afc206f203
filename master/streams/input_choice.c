/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/input_choice.h"

#include "common/base/alloc.h"
#include "proto/ipc/channel.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <sys/queue.h>

struct request {
	TAILQ_ENTRY(request) link;
	struct input_choice *owner;
	uint32_t seq;
	input_choice_fn *done;
	void *arg;
	ev_timer deadline;
};

struct input_choice {
	struct ev_loop *loop;
	TAILQ_HEAD(, request) requests;
	unsigned n;
	uint32_t last_seq;
};

static void answer(struct request *r, unsigned position, const char *error)
{
	struct input_choice *c = r->owner;
	input_choice_fn *done = r->done;
	void *arg = r->arg;

	ev_timer_stop(c->loop, &r->deadline);
	TAILQ_REMOVE(&c->requests, r, link);
	c->n--;
	free(r);
	done(position, error, arg);
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	answer(container_of(t, struct request, deadline), 0,
	       "no answer from the worker of the stream within 3 s");
}

struct input_choice *input_choice_new(struct ev_loop *loop)
{
	struct input_choice *c = xcalloc(1, sizeof *c);

	c->loop = loop;
	TAILQ_INIT(&c->requests);
	return c;
}

void input_choice_free(struct input_choice **c)
{
	if (*c != NULL)
		input_choice_down(*c);
	free(*c);
	*c = NULL;
}

int input_choice_ask(struct input_choice *c, struct channel *channel,
		     unsigned position, input_choice_fn *done, void *arg)
{
	struct msg m = { .type = MSG_STREAM_INPUT,
			 .stream_input.position = position };
	struct request *r;
	int err;

	if (c->n == INPUT_CHOICE_MAX)
		return -EBUSY;
	if (++c->last_seq == 0)
		c->last_seq = 1;
	m.seq = c->last_seq;
	err = channel_send(channel, &m, NULL, 0);
	if (err < 0)
		return err;
	r = xcalloc(1, sizeof *r);
	r->owner = c;
	r->seq = m.seq;
	r->done = done;
	r->arg = arg;
	ev_timer_init(&r->deadline, on_deadline, INPUT_CHOICE_MS / 1e3, 0.);
	ev_timer_start(c->loop, &r->deadline);
	TAILQ_INSERT_TAIL(&c->requests, r, link);
	c->n++;
	return 0;
}

bool input_choice_answer(struct input_choice *c, uint32_t seq,
			 const struct msg_stream_chosen *chosen)
{
	struct request *r;

	TAILQ_FOREACH(r, &c->requests, link) {
		if (r->seq != seq)
			continue;
		answer(r, chosen->position,
		       chosen->error != NULL ? chosen->error : "");
		return true;
	}
	return false;
}

void input_choice_down(struct input_choice *c)
{
	struct request *r;

	while ((r = TAILQ_FIRST(&c->requests)) != NULL)
		answer(r, 0, "the worker of the stream has ended");
}

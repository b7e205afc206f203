/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/input_choice.h"

#include "common/base/alloc.h"
#include "master/streams/worker_request.h"

#include <errno.h>
#include <stdlib.h>

struct request {
	struct worker_request base;
	input_choice_fn *done;
	void *arg;
};

struct input_choice {
	struct worker_requests requests;
};

static void answer(struct worker_request *base, unsigned position,
		   const char *error)
{
	struct request *r = container_of(base, struct request, base);
	input_choice_fn *done = r->done;
	void *arg = r->arg;

	free(r);
	done(position, error, arg);
}

static void on_failure(struct worker_request *base, const char *error)
{
	answer(base, 0, error);
}

struct input_choice *input_choice_new(struct ev_loop *loop)
{
	struct input_choice *c = xcalloc(1, sizeof *c);

	worker_requests_init(&c->requests, loop, INPUT_CHOICE_MAX, on_failure);
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
	struct request *r = xcalloc(1, sizeof *r);
	int err;

	r->done = done;
	r->arg = arg;
	err = worker_request_send(&c->requests, &r->base, channel, &m);
	if (err < 0)
		free(r);
	return err;
}

bool input_choice_answer(struct input_choice *c, uint32_t seq,
			 const struct msg_stream_chosen *chosen)
{
	struct worker_request *base = worker_request_find(&c->requests, seq);

	if (base == NULL)
		return false;
	worker_request_end(base);
	answer(base, chosen->position,
	       chosen->error != NULL ? chosen->error : "");
	return true;
}

void input_choice_down(struct input_choice *c)
{
	worker_requests_down(&c->requests);
}

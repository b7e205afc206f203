/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/held_answer.h"

#include "common/account/user.h"
#include "common/base/alloc.h"
#include "common/loop/timer.h"
#include "master/api/call.h"
#include "master/config/config.h"

#include <ev.h>
#include <stdlib.h>

enum { LIMIT_S = 2 };

struct held_answer {
	struct call *call; /* NULL: it was answered, or the client has left */
	struct ev_loop *loop;
	ev_timer limit;
};

static void forget(void *arg)
{
	struct held_answer *h = arg;

	ev_timer_stop(h->loop, &h->limit);
	h->call = NULL;
}

static void answer(struct held_answer *h)
{
	struct call *call = h->call;

	if (call == NULL)
		return;
	forget(h);
	call_finish(call);
}

/* The disk did not answer in time: answers anyway. */
static void on_limit(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)revents;
	answer(container_of(w, struct held_answer, limit));
}

struct held_answer *held_answer_new(struct call *call)
{
	struct held_answer *h = xcalloc(1, sizeof *h);

	h->call = call;
	h->loop = call->api->cfg.loop;
	ev_init(&h->limit, on_limit);
	timer_start(h->loop, &h->limit, LIMIT_S);
	call->later = true;
	call->on_gone = forget;
	call->arg = h;
	return h;
}

void held_answer_free(struct held_answer **p)
{
	struct held_answer *h = *p;

	*p = NULL;
	ev_timer_stop(h->loop, &h->limit);
	h->call->later = false;
	h->call->on_gone = NULL;
	free(h);
}

void held_answer_begin(struct held_answer *h, struct config *config)
{
	if (h->call->caller.type == USER_CONTROL)
		config_catch_up(config, held_answer_saved, h);
	else
		config_join(config, held_answer_saved, h);
}

void held_answer_saved(int result, const struct errmsg *error, void *held)
{
	/* on failure the save is repeated, and an alarm shows the error */
	(void)result, (void)error;
	answer(held);
	free(held);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/tls_judgement.h"

#include "common/base/alloc.h"
#include "common/loop/helper.h"
#include "common/loop/timer.h"
#include "common/supervise/pem_source.h"
#include "common/supervise/service_proc.h"
#include "common/supervise/service_request.h"
#include "proto/ipc/channel.h"

#include <assert.h>
#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct tls_judgement {
	struct service_request request;
	struct tls_judgements *owner;
	/* opens the pair; NULL: the pair is open */
	struct helper_call *opening;
	struct pem_pair pair;
	tls_judgement_fn *done;
	void *arg;
	ev_timer deadline;
};

struct tls_judgements {
	struct ev_loop *loop;
	struct service_proc *service;
	struct helpers *helpers;
	uint32_t *last_seq;
	struct service_requests list;
	unsigned n;
};

static struct tls_judgement *judgement_of(struct service_request *r)
{
	return container_of(r, struct tls_judgement, request);
}

static void judgement_free(struct tls_judgement *j)
{
	struct tls_judgements *js = j->owner;

	TAILQ_REMOVE(&js->list, &j->request, link);
	js->n--;
	ev_timer_stop(js->loop, &j->deadline);
	helper_call_cancel(&j->opening);
	pem_pair_close(&j->pair);
	free(j);
}

static void end(struct tls_judgement *j, int result, const struct errmsg *error)
{
	tls_judgement_fn *done = j->done;
	void *arg = j->arg;

	judgement_free(j);
	done(result, error, arg);
}

static void end_unknown(struct tls_judgement *j)
{
	const char *alarm = service_proc_alarm(j->owner->service);
	struct errmsg error;

	if (j->opening != NULL)
		alarm = "the file system does not answer";
	errmsg_set(&error, "crt_chain: cannot be checked now: %s",
		   alarm != NULL ? alarm : "the tls worker does not answer");
	end(j, -ETIMEDOUT, &error);
}

static void ask(struct tls_judgement *j)
{
	struct tls_judgements *js = j->owner;
	struct channel *channel = service_proc_channel(js->service);
	struct msg m = { .type = MSG_TLS_CERTIFICATE };
	const int fds[] = { j->pair.chain, j->pair.key };

	if (channel == NULL || j->request.seq != 0 || j->opening != NULL)
		return;
	if (++*js->last_seq == 0)
		*js->last_seq = 1;
	j->request.seq = m.seq = *js->last_seq;
	j->request.tries++;
	/* if this fails, the worker is being replaced */
	(void)channel_send(channel, &m, fds, ARRAY_LEN(fds));
}

void tls_judgements_up(struct tls_judgements *js)
{
	struct service_request *r;

	TAILQ_FOREACH(r, &js->list, link)
		ask(judgement_of(r));
}

void tls_judgements_down(struct tls_judgements *js)
{
	struct service_request *r;

	service_requests_take_back(&js->list);
	while ((r = service_requests_find_deadly(&js->list)) != NULL)
		end_unknown(judgement_of(r));
}

void tls_judgements_answer(struct tls_judgements *js, const struct msg *m)
{
	struct service_request *request =
		m->seq != 0 ? service_requests_find(&js->list, m->seq) : NULL;
	const struct msg_tls_result *r = &m->tls_result;
	struct errmsg error = { 0 };

	if (request == NULL)
		return;
	if (!r->ok)
		errmsg_set(&error, "%s: %s", r->field, r->error);
	end(judgement_of(request), r->ok ? 0 : -EINVAL, &error);
}

static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)loop, (void)revents;
	end_unknown(container_of(t, struct tls_judgement, deadline));
}

static void on_opened(int result, const struct pem_pair *take,
		      const struct errmsg *error, void *arg)
{
	struct tls_judgement *j = arg;

	j->opening = NULL;
	j->pair = *take;
	if (result == 0)
		ask(j);
	else
		end(j, -EINVAL, error);
}

struct tls_judgement *tls_judgement_new(struct tls_judgements *js,
					const char *chain, const char *key,
					tls_judgement_fn *done, void *arg)
{
	struct tls_judgement *j;

	if (js->n >= TLS_JUDGEMENTS_MAX)
		return NULL;
	j = xcalloc(1, sizeof *j);
	j->opening = pem_opening_new(js->helpers, chain, key, on_opened, j);
	j->owner = js;
	j->pair = (struct pem_pair){ -1, -1 };
	j->done = done;
	j->arg = arg;
	TAILQ_INSERT_TAIL(&js->list, &j->request, link);
	js->n++;
	ev_init(&j->deadline, on_deadline);
	timer_start(js->loop, &j->deadline, TLS_JUDGE_MS / 1e3);
	service_proc_want(js->service);
	return j;
}

void tls_judgement_cancel(struct tls_judgement **j)
{
	if (*j != NULL)
		judgement_free(*j);
	*j = NULL;
}

struct tls_judgements *tls_judgements_new(struct ev_loop *loop,
					  struct service_proc *service,
					  struct helpers *helpers,
					  uint32_t *last_seq)
{
	struct tls_judgements *js = xcalloc(1, sizeof *js);

	js->loop = loop;
	js->service = service;
	js->helpers = helpers;
	js->last_seq = last_seq;
	TAILQ_INIT(&js->list);
	return js;
}

void tls_judgements_free(struct tls_judgements **js)
{
	if (*js == NULL)
		return;
	assert(TAILQ_EMPTY(&(*js)->list));
	free(*js);
	*js = NULL;
}

bool tls_judgements_is_empty(const struct tls_judgements *js)
{
	return TAILQ_EMPTY(&js->list);
}

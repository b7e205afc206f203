/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/auth_proc.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/loop/timer.h"
#include "common/supervise/proc_state.h"
#include "common/supervise/service_request.h"
#include "proto/ipc/channel.h"

#include <assert.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

enum {
	/* jobs; the second waits in the channel while the first is hashed */
	WITH_WORKER_MAX = 2,
	/* A worker without a result for this time is killed.  It is the longest
	 * time without a heartbeat of a worker that waits for a processor. */
	SLOT_MS = PROC_STARVED_MS,
};

_Static_assert(SLOT_MS == 30000, "the reason of the kill names 30 s");

struct auth_job {
	struct service_request request;
	struct auth_proc *owner;
	struct auth_job_config cfg;
	char *password;
	char *hash;
	ev_timer deadline;
	/* its first deadline has passed, while the worker had the job */
	bool late;
};

/* A request that the worker has not answered.  Its job may have ended. */
struct slot {
	uint32_t seq; /* number of the request; 0: the slot is free */
	uint64_t begin_ms; /* the worker did not begin before this time */
};

struct auth_proc {
	struct ev_loop *loop;
	struct slot slots[WITH_WORKER_MAX];
	struct service_proc *service;
	struct service_requests jobs;
	uint32_t last_seq;
};

static struct auth_job *job_of(struct service_request *r)
{
	return container_of(r, struct auth_job, request);
}

static void job_free(struct auth_job *j)
{
	TAILQ_REMOVE(&j->owner->jobs, &j->request, link);
	ev_timer_stop(j->owner->loop, &j->deadline);
	explicit_bzero(j->password, strlen(j->password));
	free(j->password);
	free(j->hash);
	free(j);
}

static void job_end(struct auth_job *j, enum auth_outcome outcome,
		    const char *hash)
{
	struct auth_job_config cfg = j->cfg;

	job_free(j);
	cfg.on_done(outcome, hash, cfg.arg);
}

static void send_job(struct auth_proc *p, struct channel *channel,
		     struct auth_job *j, struct slot *slot)
{
	struct msg m = { .type = MSG_AUTH_HASH };

	if (++p->last_seq == 0)
		p->last_seq = 1;
	j->request.seq = m.seq = slot->seq = p->last_seq;
	slot->begin_ms = mono_ms();
	j->request.tries++;
	if (j->hash != NULL) {
		m.type = MSG_AUTH_VERIFY;
		m.auth_verify = (struct msg_auth_verify){
			.password = j->password, .hash = j->hash
		};
	} else {
		m.auth_hash.password = j->password;
	}
	/* if this fails, the worker is being replaced, and on_down() follows */
	(void)channel_send(channel, &m, NULL, 0);
}

static struct slot *find_slot(struct auth_proc *p, uint32_t seq)
{
	for (size_t i = 0; i < WITH_WORKER_MAX; i++)
		if (p->slots[i].seq == seq)
			return &p->slots[i];
	return NULL;
}

/* Sends jobs to the worker as long as it has free slots.  A cancelled job keeps
 * its slot until the worker answers, so that cancelling cannot flood the
 * worker. */
static void pump(void *auth_proc)
{
	struct auth_proc *p = auth_proc;
	struct channel *channel = service_proc_channel(p->service);
	struct service_request *r;
	struct slot *slot;
	uint64_t now;

	if (channel == NULL)
		return;
	TAILQ_FOREACH(r, &p->jobs, link) {
		if (r->seq != 0)
			continue;
		slot = find_slot(p, 0);
		if (slot == NULL)
			break;
		send_job(p, channel, job_of(r), slot);
	}
	now = mono_ms(); /* read behind the loop: no begin_ms is later */
	for (size_t i = 0; i < WITH_WORKER_MAX; i++)
		if (p->slots[i].seq != 0 &&
		    now - p->slots[i].begin_ms > SLOT_MS) {
			service_proc_kill(p->service, "no result within 30 s");
			return;
		}
}

/* --- the worker --- */

static void on_message(const struct msg *m, void *self)
{
	struct auth_proc *p = self;
	const struct msg_auth_result *r = &m->auth_result;
	enum auth_outcome outcome;
	struct service_request *request;
	struct slot *slot;
	struct auth_job *j;

	if (m->type != MSG_AUTH_RESULT || m->seq == 0)
		return;
	slot = find_slot(p, m->seq);
	if (slot == NULL)
		return;
	outcome = r->ok ? AUTH_OK : AUTH_WRONG;
	*slot = (struct slot){ 0 };
	for (size_t i = 0; i < WITH_WORKER_MAX; i++)
		p->slots[i].begin_ms = mono_ms();
	request = service_requests_find(&p->jobs, m->seq);
	/* the job was cancelled or timed out */
	if (request == NULL) {
		pump(p);
		return;
	}
	j = job_of(request);
	if (j->hash == NULL && (!r->ok || r->hash[0] == '\0'))
		outcome = AUTH_UNAVAILABLE;
	/* sends the next jobs first, because on_done may end all jobs */
	request->seq = 0;
	TAILQ_REMOVE(&p->jobs, request, link);
	pump(p);
	TAILQ_INSERT_HEAD(&p->jobs, request, link);
	job_end(j, outcome, r->hash);
}

static void on_down(void *self)
{
	struct auth_proc *p = self;
	struct service_request *r;

	memset(p->slots, 0, sizeof p->slots);
	service_requests_take_back(&p->jobs);
	while ((r = service_requests_find_deadly(&p->jobs)) != NULL)
		job_end(job_of(r), AUTH_UNAVAILABLE, "");
}

static const struct service_kind kind = {
	.role = "auth",
	.beat = MSG_AUTH_STATUS,
	.on_hello = pump,
	.on_message = on_message,
	.on_down = on_down,
};

struct auth_proc *auth_proc_new(const struct service_config *cfg)
{
	struct auth_proc *p = xcalloc(1, sizeof *p);

	p->loop = cfg->loop;
	TAILQ_INIT(&p->jobs);
	p->service = service_proc_new(cfg, &kind, "1", p);
	return p;
}

void auth_proc_free(struct auth_proc **p)
{
	if (*p == NULL)
		return;
	assert(TAILQ_EMPTY(&(*p)->jobs));
	service_proc_free(&(*p)->service);
	free(*p);
	*p = NULL;
}

struct service_proc *auth_proc_service(struct auth_proc *p)
{
	return p->service;
}

/* --- jobs --- */

/* Ends a job at its deadline; a job that the worker already has gets more time,
 * because a slow machine may need that long for the hash of one password. */
static void on_deadline(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct auth_job *j = container_of(t, struct auth_job, deadline);

	(void)revents;
	if (j->late || j->request.seq == 0) {
		job_end(j, AUTH_UNAVAILABLE, "");
		return;
	}
	j->late = true;
	timer_start(loop, &j->deadline,
		    (AUTH_JOB_MOST_MS - AUTH_JOB_DEADLINE_MS) / 1e3);
}

struct auth_job *auth_job_new(struct auth_proc *p,
			      const struct auth_job_config *cfg)
{
	struct auth_job *j = xcalloc(1, sizeof *j);
	struct service_request *r = NULL;

	j->owner = p;
	j->cfg = *cfg;
	j->password = xstrdup(cfg->password);
	j->hash = xstrdup(cfg->hash);
	/* an urgent job goes behind the jobs that the worker has and behind
	 * the other urgent jobs */
	if (cfg->urgent)
		TAILQ_FOREACH(r, &p->jobs, link)
			if (r->seq == 0 && !job_of(r)->cfg.urgent)
				break;
	if (r != NULL)
		TAILQ_INSERT_BEFORE(r, &j->request, link);
	else
		TAILQ_INSERT_TAIL(&p->jobs, &j->request, link);
	ev_init(&j->deadline, on_deadline);
	timer_start(p->loop, &j->deadline, AUTH_JOB_DEADLINE_MS / 1e3);
	service_proc_want(p->service);
	pump(p);
	return j;
}

void auth_job_cancel(struct auth_job **j)
{
	if (*j != NULL)
		job_free(*j);
	*j = NULL;
}

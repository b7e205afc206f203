/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/service_proc.h"

#include "common/base/alloc.h"
#include "common/supervise/worker_proc.h"

#include <stdlib.h>
#include <string.h>

struct service_proc {
	struct service_config cfg;
	const struct service_kind *kind;
	void *self;
	struct worker_proc *proc;
	char *name;
	bool stopping;
};

static void on_hello(struct worker_proc *proc, struct channel *channel,
		     void *arg)
{
	struct service_proc *s = arg;

	(void)proc, (void)channel;
	s->kind->on_hello(s->self);
	if (s->cfg.on_up != NULL)
		s->cfg.on_up(s->cfg.arg);
}

static void on_message(struct worker_proc *proc, const struct msg *m,
		       void *arg)
{
	struct service_proc *s = arg;

	(void)proc;
	s->kind->on_message(m, s->self);
}

static void on_drained(struct worker_proc *proc, void *arg)
{
	struct service_proc *s = arg;

	(void)proc;
	if (s->kind->on_drained != NULL)
		s->kind->on_drained(s->self);
}

static void on_down(struct worker_proc *proc, void *arg)
{
	struct service_proc *s = arg;

	(void)proc;
	s->kind->on_down(s->self);
}

static void on_gone(struct worker_proc *proc, void *arg)
{
	struct service_proc *s = arg;

	(void)proc;
	if (s->stopping)
		s->cfg.on_gone(s->cfg.arg);
}

static const struct worker_proc_events events = {
	.on_hello = on_hello,
	.on_message = on_message,
	.on_drained = on_drained,
	.on_down = on_down,
	.on_gone = on_gone,
};

struct service_proc *service_proc_new(const struct service_config *cfg,
				      const struct service_kind *kind,
				      const char *object, void *self)
{
	struct service_proc *s = xcalloc(1, sizeof *s);

	s->cfg = *cfg;
	s->kind = kind;
	s->self = self;
	s->name = strcmp(object, "1") == 0
		? xstrdup(kind->role) : xasprintf("%s %s", kind->role, object);
	s->proc = worker_proc_new(&(struct worker_proc_config){
		.loop = cfg->loop,
		.spawner = cfg->spawner,
		.role = kind->role,
		.object = object,
		.beat = kind->beat,
		.renewals = kind->renewals,
		.remedy = kind->remedy,
		.events = &events,
		.arg = s,
	});
	worker_proc_use(s->proc, kind->program, kind->role);
	return s;
}

void service_proc_free(struct service_proc **s)
{
	if (*s == NULL)
		return;
	worker_proc_free(&(*s)->proc);
	free((*s)->name);
	free(*s);
	*s = NULL;
}

json_t *service_proc_write(struct service_proc *s, struct handover *h)
{
	return worker_proc_write(s->proc, h);
}

void service_proc_adopt(struct service_proc *s, const json_t *record,
			struct handover *h, bool usable)
{
	worker_proc_adopt(s->proc, record, h, usable);
}

void service_proc_want(struct service_proc *s)
{
	if (!s->stopping)
		worker_proc_want(s->proc);
}

void service_proc_unwant(struct service_proc *s)
{
	worker_proc_unwant(s->proc);
}

void service_proc_stop(struct service_proc *s)
{
	s->stopping = true;
	worker_proc_unwant(s->proc);
}

void service_proc_hurry(struct service_proc *s)
{
	enum proc_state state = worker_proc_state(s->proc);

	if (state == PROC_BACKOFF || state == PROC_QUARANTINE)
		worker_proc_restart(s->proc);
}

void service_proc_use(struct service_proc *s, enum spawn_program program)
{
	worker_proc_use(s->proc, program, s->kind->role);
}

void service_proc_restart(struct service_proc *s)
{
	if (!s->stopping)
		worker_proc_restart(s->proc);
}

void service_proc_kill(struct service_proc *s, const char *error)
{
	worker_proc_kill(s->proc, error);
}

struct channel *service_proc_channel(struct service_proc *s)
{
	return worker_proc_channel(s->proc);
}

void service_proc_send(struct service_proc *s, const struct msg *m,
		       const int *fds)
{
	struct channel *channel = worker_proc_channel(s->proc);

	if (channel != NULL && !s->stopping)
		(void)channel_send(channel, m, fds, msg_fds(m));
}

const char *service_proc_name(const struct service_proc *s)
{
	return s->name;
}

bool service_proc_is_gone(const struct service_proc *s)
{
	return worker_proc_state(s->proc) == PROC_GONE;
}

bool service_proc_is_running(const struct service_proc *s)
{
	return worker_proc_state(s->proc) == PROC_RUNNING;
}

const char *service_proc_alarm(const struct service_proc *s)
{
	return worker_proc_alarm(s->proc);
}

void service_proc_get(const struct service_proc *s, const char **ret_state,
		      int *ret_pid, unsigned *ret_ends)
{
	*ret_state = proc_state_format(worker_proc_state(s->proc));
	*ret_pid = worker_proc_pid(s->proc);
	*ret_ends = worker_proc_unwanted_ends(s->proc);
}

const char *service_proc_failure(const struct service_proc *s)
{
	return worker_proc_failure(s->proc);
}

bool service_proc_has_crashed(const struct service_proc *s)
{
	return worker_proc_has_crashed(s->proc);
}

void service_proc_works(struct service_proc *s, bool works)
{
	worker_proc_works(s->proc, works);
}

uint64_t service_proc_silent_ms(const struct service_proc *s)
{
	return worker_proc_silent_ms(s->proc);
}

const char *service_proc_fault(const struct service_proc *s)
{
	return worker_proc_fault(s->proc);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A worker that serves all others: deliver, auth and their like.
 *
 * What they have in common: started when somebody wants them, told again what
 * they should do after every start, ended for good by one call whose end the
 * reconciler waits for.
 *
 * Owns the worker; borrows the loop, the spawner and the kind.
 */
#pragma once

#include "common/base/util.h"
#include "common/supervise/spawn.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>

struct channel;
struct ev_loop;
struct handover;
struct service_proc;

/* What the reconciler gives to each of them. */
struct service_config {
	struct ev_loop *loop;
	struct spawner *spawner;
	/* After service_proc_stop(): the worker is gone. */
	void (*on_gone)(void *arg);
	/* A worker has said hello, and was told what it should do; may be
	 * NULL. */
	void (*on_up)(void *arg);
	void *arg;
};

/* One of these per role; self is what service_proc_new() was given. */
struct service_kind {
	const char *role;
	enum spawn_program program;
	enum msg_type beat; /* the message that proves it works */
	/* It said hello, and knows nothing yet. */
	void (*on_hello)(void *self);
	/* What its role alone says.  Last call: service_proc_kill(). */
	void (*on_message)(const struct msg *, void *self);
	/* All that it was told was written; may be NULL. */
	void (*on_drained)(void *self);
	/* The process is no more; a next one may be on its way. */
	void (*on_down)(void *self);
};

struct service_proc *service_proc_new(const struct service_config *,
				      const struct service_kind *,
				      const char *object, void *self);
/* NULL-safe; sets *s to NULL.  A process that still runs is killed. */
void service_proc_free(struct service_proc **);

/* From master to master, as worker_proc_write() and worker_proc_adopt(). */
json_t *service_proc_write(struct service_proc *, struct handover *);
void service_proc_adopt(struct service_proc *, const json_t *record,
			struct handover *, bool can_go_on);

/* Nothing after service_proc_stop(). */
void service_proc_want(struct service_proc *);
void service_proc_unwant(struct service_proc *);

/* Ends it for good: on_gone follows when it runs. */
void service_proc_stop(struct service_proc *);
bool service_proc_is_stopping(const struct service_proc *);

/* A person wants it now: ends the wait for the next start, if it waits. */
void service_proc_hurry(struct service_proc *);

/* As worker_proc_kill(). */
void service_proc_kill(struct service_proc *, const char *what);

/* The channel after the hello, or NULL. */
struct channel *service_proc_channel(struct service_proc *);

/* Says it with its msg_fds() descriptors (borrowed) when there is somebody who
 * needs to know: a worker that cannot be told is being replaced, and the next
 * is told everything; one that is to stop need not know. */
void service_proc_send(struct service_proc *, const struct msg *,
		       const int *fds);

bool service_proc_is_gone(const struct service_proc *);
bool service_proc_is_running(const struct service_proc *);
/* A sentence for the operator, or NULL. */
const char *service_proc_alarm(const struct service_proc *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One worker that should run: its process, its channel and its clockwork.
 *
 * Carries out what the table in proc_state.c says.  The worker is hostile: the
 * first message must be a hello of our version and of its own role, ready
 * comes once, its status once a second, and it says only what its role may;
 * whoever breaks this is killed and started again later.  Its log lines are
 * passed on, cleaned and rate-limited.
 *
 * Owns the process and the channel; borrows the loop, spawner and events.
 */
#pragma once

#include "common/supervise/proc_state.h"
#include "common/supervise/spawn.h"
#include "proto/ipc/channel.h"

#include <ev.h>
#include <stdbool.h>
#include <sys/types.h>

struct handover;
struct worker_proc;

struct worker_proc_events {
	/* It said hello: send it its work. */
	void (*on_hello)(struct worker_proc *, struct channel *, void *arg);
	/* What the role alone says: its status messages, in bounds. */
	void (*on_message)(struct worker_proc *, const struct msg *,
			   void *arg);
	/* All that it was told has been written (proto/ipc/channel).  May be
	 * NULL. */
	void (*on_drained)(struct worker_proc *, void *arg);
	/* The process is no more; a next one may be on its way. */
	void (*on_down)(struct worker_proc *, void *arg);
	/* Nothing runs and nothing is wanted.  May be freed inside. */
	void (*on_gone)(struct worker_proc *, void *arg);
};

struct worker_proc_config {
	struct ev_loop *loop;
	struct spawner *spawner;
	const char *role;   /* also the prefix of what it may say */
	const char *object; /* copied */
	enum msg_type beat; /* the message that proves it works */
	bool once;          /* it is not started again, whatever its end */
	const struct worker_proc_events *events;
	void *arg;
};

struct worker_proc *worker_proc_new(const struct worker_proc_config *);

/* NULL-safe; sets *w to NULL.  A process that still runs is killed. */
void worker_proc_free(struct worker_proc **);

/* What a next master has to know of it, as a new JSON object. */
json_t *worker_proc_write(struct worker_proc *, struct handover *);
/*
 * Takes up what a master before us wrote (judged; may be NULL) into a worker
 * that is gone: as it runs, or to be ended when it cannot go on as it is.
 * Without can_go_on it is ended in any case.
 */
void worker_proc_take(struct worker_proc *, const json_t *record,
		      struct handover *, bool can_go_on);

/* Which program the next start is of; SPAWN_WORKER until told. */
void worker_proc_use(struct worker_proc *, enum spawn_program);

void worker_proc_want(struct worker_proc *);
void worker_proc_unwant(struct worker_proc *);
void worker_proc_restart(struct worker_proc *);

/* It did what no worker may, whatever it says: killed, and started again
 * later.  May be called inside on_message, as the last thing. */
void worker_proc_accuse(struct worker_proc *, const char *what);

enum proc_state worker_proc_state(const struct worker_proc *);
pid_t worker_proc_pid(const struct worker_proc *); /* 0 when none runs */
unsigned worker_proc_unwanted_ends(const struct worker_proc *);
/* How the last unwanted end came about; "" before one. */
const char *worker_proc_last_end(const struct worker_proc *);
/* A sentence for the operator, or NULL. */
const char *worker_proc_alarm(const struct worker_proc *);
/* The channel after the hello, or NULL. */
struct channel *worker_proc_channel(struct worker_proc *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts worker processes and watches them end, by pidfd: no SIGCHLD, no
 * blind wait, no signal to a pid that is somebody else's by now.
 *
 * Starts are let through a few at a time, so that two hundred of them never
 * keep the loop from its other work.
 *
 * struct spawner owns the children that were disowned and borrows the loop;
 * struct child is owned by who started it.
 */
#pragma once

#include "common/base/util.h"

#include <ev.h>
#include <jansson.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

struct handover;
struct spawner;
struct child;

enum {
	SPAWN_BURST = 4,        /* starts per tick */
	SPAWN_TICK_MS = 10,
};

/* Which program a worker is.  Few need the libraries of the second and third,
 * and the others do not pay for them. */
enum spawn_program {
	SPAWN_WORKER,     /* sluice-worker */
	SPAWN_WORKER_NET, /* sluice-worker-net, beside it */
	SPAWN_WORKER_TLS, /* sluice-worker-tls, likewise */
	SPAWN_PROGRAMS,
};

/* path of sluice-worker; the loop is borrowed. */
struct spawner *spawner_new(struct ev_loop *, const char *path);
/* Reaps disowned children that have ended; others are left to init. */
void spawner_free(struct spawner **);

/* Told of every change that spawner_write() and its siblings would show. */
void spawner_set_on_change(struct spawner *, void (*on_change)(void *arg),
			   void *arg);
void spawner_touch(struct spawner *);

/* Notes every process that was started and not yet reaped. */
void spawner_write(struct spawner *, struct handover *);
/* Takes up all processes of a master before us; they are claimed, or ended. */
void spawner_take(struct spawner *, struct handover *);
void spawner_end_unclaimed(struct spawner *);

/* --- a place in the queue --- */

/* Embedded; zeroed but for go is a ticket outside the queue. */
struct spawn_ticket {
	TAILQ_ENTRY(spawn_ticket) link;
	bool queued;
	/* Your turn.  The ticket is out of the queue. */
	void (*go)(struct spawn_ticket *);
};

void spawner_queue(struct spawner *, struct spawn_ticket *);
void spawner_cancel(struct spawner *, struct spawn_ticket *);

/* --- a process --- */

struct child_end {
	int code;    /* exit code; -1: killed, or it is not known how */
	int signal;  /* that killed it, or 0 */
	bool core;
};

typedef void child_end_fn(struct child *, const struct child_end *, void *arg);

struct child_start {
	enum spawn_program program;
	const char *role;
	const char *object;
	int channel_fd; /* borrowed; becomes its fd 3 */
};

/* on_end is called once, from the loop; the child may be freed inside.  NULL
 * with *ret_err = -errno. */
struct child *child_start(struct spawner *, const struct child_start *,
			  child_end_fn *on_end, void *arg, int *ret_err);

/* The name of a child that was written, as a new JSON string. */
json_t *child_write(struct child *, struct handover *);
/* The child of that name (JSON string or NULL) that the spawner has taken up;
 * NULL when there is none.  on_end as above; of a process that is not our own
 * child nobody can tell how it ended. */
struct child *child_claim(struct spawner *, const json_t *name,
			  child_end_fn *on_end, void *arg);

/* NULL-safe; sets *c to NULL.  A child that still runs becomes the spawner's,
 * which waits for it. */
void child_free(struct child **);

/* Another one hears of the end. */
void child_set_end(struct child *, child_end_fn *on_end, void *arg);

/* 0 for one that had ended when it was taken up. */
pid_t child_pid(const struct child *);
void child_signal(struct child *, int signal);

/* "exit code 3", "killed by signal 6 (Aborted), core dumped". */
void child_end_format(const struct child_end *, char *text, size_t size);

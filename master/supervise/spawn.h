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

#include "common/util.h"

#include <ev.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

struct spawner;
struct child;

enum {
	SPAWN_BURST = 4,        /* starts per tick */
	SPAWN_TICK_MS = 10,
};

/* path of sluice-worker; borrowed, as is the loop. */
struct spawner *spawner_new(struct ev_loop *, const char *path);
/* Reaps disowned children that have ended; others are left to init. */
void spawner_free(struct spawner **);

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
	int code;    /* exit code, or -1 */
	int signal;  /* that killed it, or 0 */
	bool core;
};

typedef void child_end_fn(struct child *, const struct child_end *, void *arg);

/* sluice-worker role object, with channel_fd (borrowed) as its fd 3.  on_end
 * is called once, from the loop; the child may be freed inside.  NULL with
 * *ret_err = -errno. */
struct child *child_start(struct spawner *, const char *role,
			  const char *object, int channel_fd,
			  child_end_fn *on_end, void *arg, int *ret_err);

/* NULL-safe; sets *c to NULL.  A child that still runs becomes the spawner's,
 * which waits for it. */
void child_free(struct child **);

/* Another one hears of the end. */
void child_set_end(struct child *, child_end_fn *on_end, void *arg);

pid_t child_pid(const struct child *);
void child_signal(struct child *, int signal);

/* "exit code 3", "killed by signal 6 (Aborted), core dumped". */
void child_end_format(const struct child_end *, char *text, size_t size);

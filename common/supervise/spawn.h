/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts worker processes and reports their end, by pidfd: without SIGCHLD,
 * and without the risk of a signal to a reused pid.
 *
 * A few processes start per tick, so that hundreds of starts do not block the
 * loop.
 *
 * struct spawner owns the freed children and borrows the loop; struct child
 * belongs to the caller of child_start().
 */
#pragma once

#include "common/base/util.h"

#include <ev.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

struct handover;
struct spawner;
struct child;

enum {
	SPAWN_BURST = 4,        /* starts per tick */
	SPAWN_TICK_MS = 10,
};

/* The program of a worker.  sluice-worker is the only one without large
 * libraries. */
enum spawn_program {
	SPAWN_WORKER, /* sluice-worker */
	/* sluice-worker-net, in the folder of sluice-worker */
	SPAWN_WORKER_NET,
	/* sluice-worker-tls, in the folder of sluice-worker */
	SPAWN_WORKER_TLS,
	SPAWN_WORKER_PICTURE, /* sluice-worker-picture; only if HAVE_PICTURE */
	SPAWN_PROGRAMS,
};

/* The file name of the program. */
const char *spawn_program_name(enum spawn_program);

/* path: of sluice-worker; the other programs are in its folder.  The loop is
 * borrowed. */
struct spawner *spawner_new(struct ev_loop *, const char *path);
/* Frees the spawner.  Reaps freed children that have ended; init reaps the
 * others. */
void spawner_free(struct spawner **);

/* Sets a function that is called by spawner_touch(): the state that a handover
 * contains has changed. */
void spawner_set_on_change(struct spawner *, void (*on_change)(void *arg),
			   void *arg);
void spawner_touch(struct spawner *);

/* Variables that the spawner sets in the environment of workers.  A change
 * applies to workers that start later. */
enum spawn_variable {
	SPAWN_KEY,        /* WORKER_KEY_VARIABLE */
	SPAWN_RECORDINGS, /* WORKER_RECORDINGS_VARIABLE */
	SPAWN_VARIABLES,
};

/* Sets a variable; value is copied; NULL removes the variable.  False: it has
 * this value already. */
bool spawner_set_variable(struct spawner *, enum spawn_variable,
			  const char *value);
/* The value of a variable; NULL: it is not set. */
const char *spawner_variable(const struct spawner *, enum spawn_variable);

/* Adds every process that has not been reaped to the handover. */
void spawner_write(struct spawner *, struct handover *);
/* Adopts all processes of the previous master.  Each is then claimed, or
 * killed by spawner_end_unclaimed(). */
void spawner_take(struct spawner *, struct handover *);
void spawner_end_unclaimed(struct spawner *);

/* Notes and logs the flawed library with which a worker is linked
 * (worker.hello), once for all workers; "": none. */
void spawner_note_flawed(struct spawner *, const char *library);
/* A sentence about the flawed library; NULL: none is known. */
const char *spawner_flaw(const struct spawner *);

/* Writes at most room pids of processes that have not ended, also of adopted
 * ones.  Returns the number of all of them, which may be above room. */
size_t spawner_pids(const struct spawner *, pid_t *list, size_t room);

/* --- the queue of starts --- */

/* Embedded; zeroed apart from go. */
struct spawn_ticket {
	TAILQ_ENTRY(spawn_ticket) link;
	bool queued;
	/* Called when the start is due and the ticket has left the queue. */
	void (*go)(struct spawn_ticket *);
};

void spawner_queue(struct spawner *, struct spawn_ticket *);
void spawner_cancel(struct spawner *, struct spawn_ticket *);

/* --- a process --- */

struct child_end {
	int code; /* exit code; -1: killed or unknown */
	int signal; /* number of the signal that killed it; 0: none */
	bool core;
	bool renews; /* exit code WORKER_EXIT_RENEW: it asks for a successor */
	/* exit code ALLOC_EXIT_CODE; or killed by SIGKILL, and the kernel has
	 * ended processes for lack of memory meanwhile */
	bool no_memory;
};

/* True if a signal of a fault, such as SIGSEGV or SIGABRT, ended the process,
 * and it did not lack memory. */
bool child_end_is_crash(const struct child_end *);

typedef void child_end_fn(struct child *, const struct child_end *, void *arg);

struct child_start {
	enum spawn_program program;
	const char *role;
	const char *object;
	int channel_fd; /* borrowed; becomes descriptor 3 of the worker */
	/* borrowed; becomes the standard error of the worker; 0: that of this
	 * process */
	int error_fd;
	/* is in the process group of this process; false: in a new one */
	bool same_group;
	/* value of WORKER_RENEW_VARIABLE; 0: the variable is not set */
	uint64_t renew_ms;
};

/* on_end is called once, from the loop; the child may be freed inside.  NULL
 * with *ret_err = -errno. */
struct child *child_start(struct spawner *, const struct child_start *,
			  child_end_fn *on_end, void *arg, int *ret_err);

/* Adds the child to the handover: its name as a new JSON string. */
json_t *child_write(struct child *, struct handover *);
/* The adopted child with this name (JSON string or NULL), or NULL.  on_end as
 * in child_start(); the exit status of a process that is not a child of this
 * one is unknown. */
struct child *child_claim(struct spawner *, const json_t *name,
			  child_end_fn *on_end, void *arg);

/* NULL-safe; sets *c to NULL.  The spawner waits for a child that still
 * runs. */
void child_free(struct child **);

/* Kills a child of this process that has no pidfd, and reaps it in a thread,
 * because the kernel may hold it. */
void child_kill_unwatched(pid_t);

/* Replaces on_end. */
void child_set_end(struct child *, child_end_fn *on_end, void *arg);

/* The pid of the child; 0: it had ended before it was adopted. */
pid_t child_pid(const struct child *);
void child_signal(struct child *, int signal);

/* Writes the end of the child in words: "exit code 3", "killed by signal 6
 * (Aborted), core dumped". */
void child_end_format(const struct child_end *, char *text, size_t size);

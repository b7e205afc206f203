/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs one worker: starts its process, checks what it sends, restarts it.
 *
 * Carries out the table of proc_state.c.  The worker is treated as hostile: its
 * first message, and only that, must be worker.hello with the protocol version
 * of this program and its own role.  Its status must come at most once a
 * second, and every other message, except worker.ready and worker.log, must
 * belong to its role.  A worker that breaks this is killed and restarted later.
 * Its log lines are cleaned, limited in rate and logged.
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

enum { WORKER_STEADY_MS = 5000 };

struct worker_proc_events {
	/* Called after worker.hello: sends the worker its work. */
	void (*on_hello)(struct worker_proc *, struct channel *, void *arg);
	/* Called with each valid message of its role. */
	void (*on_message)(struct worker_proc *, const struct msg *,
			   void *arg);
	/* Called when all messages to the worker have been written
	 * (proto/ipc/channel).  May be NULL. */
	void (*on_drained)(struct worker_proc *, void *arg);
	/* Called when the process has ended; the next start may already be
	 * planned. */
	void (*on_down)(struct worker_proc *, void *arg);
	/* Called when no process runs and none is wanted.  The worker_proc may
	 * be freed inside. */
	void (*on_gone)(struct worker_proc *, void *arg);
};

struct worker_proc_config {
	struct ev_loop *loop;
	struct spawner *spawner;
	/* the role; also the prefix of its message types and of its name in the
	 * log */
	const char *role;
	const char *object; /* copied */
	enum msg_type beat; /* the message that is its heartbeat */
	bool once; /* the worker is not restarted */
	unsigned renewals; /* as in struct backoff */
	/* The alarm of quarantine names this command: "restart-stream starts
	 * it at once"; NULL: it names none. */
	const char *remedy;
	const struct worker_proc_events *events;
	void *arg;
};

struct worker_proc *worker_proc_new(const struct worker_proc_config *);

/* NULL-safe; sets *w to NULL.  A process that still runs is killed. */
void worker_proc_free(struct worker_proc **);

/* Writes the record of the process for the next master, a new JSON object. */
json_t *worker_proc_write(struct worker_proc *, struct handover *);
/*
 * Adopts the process that the previous master recorded (checked; may be NULL).
 * The worker must be new.  A process that cannot continue is stopped.  If
 * usable is false, any process is stopped.
 */
void worker_proc_adopt(struct worker_proc *, const json_t *record,
		       struct handover *, bool usable);

/* Gives the worker another object: the name in the log at once, the argument of
 * the process from its next start. */
void worker_proc_rename(struct worker_proc *, const char *object);

/* Sets the program and the role of the next start; by default SPAWN_WORKER and
 * the role of the configuration.  role: a constant. */
void worker_proc_use(struct worker_proc *, enum spawn_program,
		     const char *role);

void worker_proc_want(struct worker_proc *);
void worker_proc_unwant(struct worker_proc *);
void worker_proc_restart(struct worker_proc *);

/* Kills the worker because of an error; it is restarted later.  Inside
 * on_message it must be the last call. */
void worker_proc_kill(struct worker_proc *, const char *error);

/* "stream a001", its component in the log. */
const char *worker_proc_name(const struct worker_proc *);
enum proc_state worker_proc_state(const struct worker_proc *);
pid_t worker_proc_pid(const struct worker_proc *); /* 0: no process */
unsigned worker_proc_unwanted_ends(const struct worker_proc *);
/* How the last process ended, also after a stop, or why none could be started;
 * "": no process has ended. */
const char *worker_proc_last_end(const struct worker_proc *);
/* To be called with each status.  works: the process does the work for which
 * its predecessor asked for a successor.  Some seconds of work reset the count
 * of successors (backoff.h). */
void worker_proc_works(struct worker_proc *, bool works);
/* Inside on_down: why the process ended; NULL: it was stopped, or asked for a
 * successor in time. */
const char *worker_proc_failure(const struct worker_proc *);
/* Inside on_down: the process had a fault, or the master ended it for an error;
 * it was not stopped, nor killed by another process or for lack of memory. */
bool worker_proc_has_crashed(const struct worker_proc *);
/* The alarm text for the operator; NULL: no alarm. */
const char *worker_proc_alarm(const struct worker_proc *);
/* The alarm, or why the process ended or is being ended.  The text stays until
 * the successor has run for WORKER_STEADY_MS.  NULL: no fault. */
const char *worker_proc_fault(const struct worker_proc *);
/* Milliseconds since the last status of a running worker; 0: none runs. */
uint64_t worker_proc_silent_ms(const struct worker_proc *);
/* The channel to the worker, once worker.hello was received; otherwise NULL. */
struct channel *worker_proc_channel(struct worker_proc *);

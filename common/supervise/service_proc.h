/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The common part of the workers that are not the worker of a stream: auth,
 * backend, deliver, epg, picture, querier and tls, and those of a struct
 * service_list (adapters, CAS and softcams).
 *
 * Such a worker starts on demand, receives its state after every start, and is
 * stopped for good by service_proc_stop(), after which on_gone is called.
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

/* What the reconciler of the master (master/streams) gives each service. */
struct service_config {
	struct ev_loop *loop;
	struct spawner *spawner;
	/* Called when the worker has ended after service_proc_stop(). */
	void (*on_gone)(void *arg);
	/* Called after on_hello of the kind; may be NULL. */
	void (*on_up)(void *arg);
	void *arg;
};

/* The properties of a role; self is the argument of service_proc_new(). */
struct service_kind {
	const char *role;
	enum spawn_program program;
	enum msg_type beat; /* the message that is its heartbeat */
	const char *remedy; /* as in worker_proc_config */
	unsigned renewals; /* as in struct backoff */
	/* Called after worker.hello: sends the worker its state. */
	void (*on_hello)(void *self);
	/* Called with each message of its role.  It may call
	 * service_proc_kill(), as the last thing that it does. */
	void (*on_message)(const struct msg *, void *self);
	/* Called when all messages to the worker have been written; may be
	 * NULL. */
	void (*on_drained)(void *self);
	/* Called when the process has ended; the next start may be planned. */
	void (*on_down)(void *self);
};

struct service_proc *service_proc_new(const struct service_config *,
				      const struct service_kind *,
				      const char *object, void *self);
/* NULL-safe; sets *s to NULL.  A process that still runs is killed. */
void service_proc_free(struct service_proc **);

/* Writes the record for the next master, as worker_proc_write(); adopts that of
 * the previous one, as worker_proc_adopt(). */
json_t *service_proc_write(struct service_proc *, struct handover *);
void service_proc_adopt(struct service_proc *, const json_t *record,
			struct handover *, bool usable);

/* Wants the process, which starts when its next start is due.  No effect after
 * service_proc_stop(). */
void service_proc_want(struct service_proc *);
void service_proc_unwant(struct service_proc *);

/* Stops the process for good.  on_gone is called from the loop when it has
 * ended. */
void service_proc_stop(struct service_proc *);

/* Starts a process at once that waits for its next start, for an operator. */
void service_proc_hurry(struct service_proc *);

/* As worker_proc_use() and worker_proc_restart(); no restart after
 * service_proc_stop(). */
void service_proc_use(struct service_proc *, enum spawn_program);
void service_proc_restart(struct service_proc *);

/* As worker_proc_kill(). */
void service_proc_kill(struct service_proc *, const char *error);

/* As worker_proc_works(). */
void service_proc_works(struct service_proc *, bool works);

/* As worker_proc_silent_ms(). */
uint64_t service_proc_silent_ms(const struct service_proc *);

/* The channel to the worker, once worker.hello was received; otherwise NULL. */
struct channel *service_proc_channel(struct service_proc *);

/* Sends m with its msg_fds() descriptors (borrowed).  Drops m without a
 * channel, or while the worker stops: the next worker gets the whole state in
 * on_hello. */
void service_proc_send(struct service_proc *, const struct msg *,
		       const int *fds);

/* The name for the log: the role, with the object unless that is "1": "tls",
 * "deliver 2". */
const char *service_proc_name(const struct service_proc *);
bool service_proc_is_gone(const struct service_proc *);
bool service_proc_is_running(const struct service_proc *);
/* The alarm text for the operator; NULL: no alarm. */
const char *service_proc_alarm(const struct service_proc *);
/* Writes the state as proc_state_format() does, the pid (0: no process), and
 * the number of ends that were failures. */
void service_proc_get(const struct service_proc *, const char **ret_state,
		      int *ret_pid, unsigned *ret_ends);
/* As worker_proc_failure(). */
const char *service_proc_failure(const struct service_proc *);
/* As worker_proc_has_crashed(). */
bool service_proc_has_crashed(const struct service_proc *);
/* As worker_proc_fault(). */
const char *service_proc_fault(const struct service_proc *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of every role of a worker: the loop, the channel to the master, and
 * the log that is sent over it.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/channel.h"
#include "worker/core/sandbox.h"

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

struct worker_role;

struct worker {
	struct ev_loop *loop;
	/* channel to the master; after its end sends fail with -EPIPE */
	struct channel *channel;
	/* argv[2]: the stream id, or "1" for a role without streams */
	const char *object;
	bool stopping;
	int exit_code;

	/* The members below are for worker.c only, except that
	 * worker/stream/role.c reads on_term.fd. */
	const struct worker_role *role;
	void *context;
	ev_timer second;
	bool ready; /* worker.c has sent worker.ready */
	ev_io on_term; /* watches a descriptor that these signals make readable:
			* SIGTERM, HIDDEN_SIGNAL */
};

/* Handles one message; the descriptors are as in channel_events.on_message. */
typedef void worker_message_fn(void *role, const struct msg *, int *fds,
			       size_t n_fds);

/* The functions of a role, which are in role.c of a folder under worker/. */
struct worker_role {
	const char *name;
	/* Builds the context of the role; sends no message yet. */
	void *(*new)(struct worker *);
	void (*free)(void *role);
	/* Called every second from the start of the loop on.  The worker
	 * reports ready before the first call.  NULL: the role sends
	 * worker.ready itself. */
	void (*every_second)(void *role);
	/* The messages of the role; any other is logged and ignored. */
	worker_message_fn *messages[MSG_WORKER_HELLO];
	/* The most messages that the role receives before its loop handles
	 * other events; 0: one message. */
	unsigned batch;
	/* The capabilities (bits 1 << CAP_X) that the role keeps if the master
	 * has them; all others are dropped at the start. */
	uint64_t capabilities;
	/* What the role does (enum sandbox_need). */
	unsigned needs;
	/* The sandbox depends on the task: the role calls
	 * worker_enter_sandbox() when it has the task.  The other roles enter
	 * it before their first message. */
	bool enters_late;
};

extern const struct worker_role stream_role;
extern const struct worker_role mux_role;
extern const struct worker_role adapter_role;
extern const struct worker_role deliver_role;
extern const struct worker_role auth_role;
extern const struct worker_role backend_role;
extern const struct worker_role tls_role; /* in sluice-worker-tls */
extern const struct worker_role picture_role; /* in sluice-worker-picture */
extern const struct worker_role epg_role;
extern const struct worker_role epg_net_role; /* downloads guide sources */
extern const struct worker_role querier_role;
extern const struct worker_role scan_role;
extern const struct worker_role softcam_role;
extern const struct worker_role cas_role;

/* The main function of every worker program: checks its arguments (PROGRAM ROLE
 * OBJECT), sets its name, drops privileges and runs the role on the channel at
 * WORKER_CHANNEL_FD.  roles: those of this program, ended by NULL.  flawed: for
 * the message worker.hello.  Returns the exit code of the program. */
int worker_start(const struct worker_role *const *roles, const char *flawed,
		 int argc, char **argv);

/* Enters the sandbox of the role, with the files of its task, and releases
 * take_grants, which may be NULL.  False: that failed, was logged, and the
 * worker ends. */
bool worker_enter_sandbox(struct worker *, struct grants *take_grants);

/* Drops the capabilities of the role when its task does not need them.  False:
 * that failed and was logged, and the worker ends. */
bool worker_drop_capabilities(struct worker *);

/* Sends worker.ready; a role calls it once, when it works. */
void worker_send_ready(struct worker *);

/* Ends the loop; the process exits with code. */
void worker_exit(struct worker *, int code);

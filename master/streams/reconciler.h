/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reconciler: what the configuration wants against what runs.
 *
 * Owns every worker process, ring and viewers' listening socket.  Borrows the
 * loop.  Callers say what should be (set, remove, restart); the fleet starts,
 * stops and replaces processes so that it becomes so, and tells what it sees.
 */
#pragma once

#include "common/base/util.h"
#include "master/streams/analysis_request.h"
#include "master/streams/input_choice.h"
#include "master/streams/session_list.h"
#include "master/streams/switch_log.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct auth_proc;
struct ev_loop;
struct fleet;
struct handover;
struct jobs;
struct querier_proc;
struct tls_proc;

struct fleet_events {
	/* Once a second per running stream, decoded and in bounds. */
	void (*on_stream_status)(const char *id,
				 const struct msg_stream_status *, void *arg);
	/* A running stream plays another input. */
	void (*on_stream_switched)(const char *id,
				   const struct msg_stream_switched *,
				   void *arg);
	/* Every worker, ring and socket is gone (after fleet_stop()). */
	void (*on_stopped)(void *arg);
	/* fleet_write() would write something else now; may be NULL. */
	void (*on_change)(void *arg);
};

struct fleet_config {
	struct ev_loop *loop;
	const char *worker_path; /* of sluice-worker */
	/* As they were at the start: what streams do not say is said there.
	 * Copied; may be NULL. */
	const json_t *settings;
	const struct fleet_events *events;
	void *arg;
};

struct fleet *fleet_new(const struct fleet_config *);
void fleet_free(struct fleet **);

/* Writes down all that runs, for a next master. */
void fleet_write(struct fleet *, struct handover *);
/* Takes up what a master before us left: before the first fleet_set_stream().
 * Its workers go on, and are from now on like those we started. */
void fleet_take(struct fleet *, struct handover *);
/* After the last fleet_set_stream() of the configuration: what was taken up
 * and is not wanted any more is ended. */
void fleet_settle(struct fleet *);

/* Makes the stream with this configuration object (borrowed) be so: started,
 * replaced when it differs from what runs, or stopped when not enabled.  The
 * object was judged before (config/check). */
void fleet_set_stream(struct fleet *, const char *id, const json_t *stream);
void fleet_remove_stream(struct fleet *, const char *id);

/* Ends the worker and starts a new one at once, out of quarantine too. */
void fleet_restart_stream(struct fleet *, const char *id);

/*
 * By hand: the stream plays the input at this position, or with 0 the next
 * one.  The position when that is settled at once (no worker runs: the next
 * one will begin with it), 0 when the worker is asked: then done is called,
 * once.  -ENOENT: there is no such stream, -EINVAL: it has no such input; or
 * another -errno.
 */
int fleet_choose_input(struct fleet *, const char *id, unsigned position,
		       input_choice_fn *done, void *arg) MUST_CHECK;

/* What is known of the packets of a running stream: done is called, once.
 * -ENOENT: there is no such stream, or another -errno: it does not run, or too
 * many ask. */
int fleet_analyze(struct fleet *, const char *id, analysis_fn *done,
		  void *arg) MUST_CHECK;

/* TERM to all, KILL after a while; on_stopped when nobody is left (<= 5 s). */
void fleet_stop(struct fleet *);

/* What is known of a stream's process and its viewers. */
struct fleet_stream {
	const char *state;     /* "stopped", "starting", "running", "stopping",
				* "backoff", "quarantine", "lost" */
	int pid;               /* 0 when none runs */
	unsigned restarts;     /* unwanted ends since it was set */
	const char *alarm;     /* sentence, NULL when none */
	uint32_t viewers;
	uint64_t viewers_cut;
	const struct switch_log *switches; /* NULL: nothing is known */
	/* per output position from 1: why an http output is not served (port
	 * in use …), NULL when it is; n_outputs entries */
	size_t n_outputs;
	const char *output_errors[MSG_OUTPUTS_MAX];
	/* the viewers of an http output, and those of it who were cut */
	uint32_t output_viewers[MSG_OUTPUTS_MAX];
	uint64_t output_cut[MSG_OUTPUTS_MAX];
};

/* False when the fleet does not know id. */
bool fleet_get_stream(const struct fleet *, const char *id,
		      struct fleet_stream *ret);

/* Numbers over all: running workers, viewers. */
void fleet_totals(const struct fleet *, unsigned *ret_workers,
		  unsigned *ret_viewers);

/* Tells who watches by http, as session_list.h says. */
void fleet_list_sessions(struct fleet *, session_list_fn *, void *arg);
/* Appends those who called outputs of streams. */
void fleet_list_receivers(const struct fleet *, json_t *sessions);
/* Closes this session, if it is still there. */
void fleet_close_session(struct fleet *, uint64_t client);

/* The worker that hashes passwords, borrowed. */
struct auth_proc *fleet_auth(struct fleet *);
/* Where short-lived workers are started, borrowed. */
struct jobs *fleet_jobs(struct fleet *);
/* The worker that hears who asks for multicast groups, borrowed. */
struct querier_proc *fleet_querier(struct fleet *);
/* The worker that speaks TLS, borrowed. */
struct tls_proc *fleet_tls(struct fleet *);

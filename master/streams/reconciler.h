/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts, stops and replaces workers until they match the configuration.
 *
 * Owns every worker process, every ring and the listening sockets of viewers.
 * Borrows the loop.
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
struct reconciler;
struct stream_conf;
struct handover;
struct jobs;
struct querier_proc;
struct tls_proc;

struct reconciler_events {
	/* Once a second per running stream, decoded and in bounds. */
	void (*on_stream_status)(const char *id,
				 const struct msg_stream_status *, void *arg);
	/* A running stream plays another input. */
	void (*on_stream_switched)(const char *id,
				   const struct msg_stream_switched *,
				   void *arg);
	/* Every worker, ring and socket is gone (after reconciler_stop()). */
	void (*on_stopped)(void *arg);
	/* reconciler_write() would write something else now; may be NULL. */
	void (*on_change)(void *arg);
};

struct reconciler_config {
	struct ev_loop *loop;
	const char *worker_path; /* of sluice-worker */
	/* As they were at the start: what streams do not say is said there.
	 * Copied; may be NULL. */
	const json_t *settings;
	const struct reconciler_events *events;
	void *arg;
};

struct reconciler *reconciler_new(const struct reconciler_config *);
void reconciler_free(struct reconciler **);

/* Writes down all that runs, for a next master. */
void reconciler_write(struct reconciler *, struct handover *);
/* Adopts the workers of the previous master, which continue.  Call it before
 * the first reconciler_set_stream(). */
void reconciler_take(struct reconciler *, struct handover *);
/* Stops the adopted workers that no reconciler_set_stream() named.  Call it
 * after the last reconciler_set_stream() of the configuration. */
void reconciler_settle(struct reconciler *);

/* Runs the stream as it is configured (borrowed): starts it, replaces it when
 * it differs from what runs, or stops it when it is not enabled.  The
 * configuration was judged before (config/check). */
void reconciler_set_stream(struct reconciler *, const char *id,
			   const struct stream_conf *);
void reconciler_remove_stream(struct reconciler *, const char *id);

/* Ends the worker and starts a new one at once, out of quarantine too. */
void reconciler_restart_stream(struct reconciler *, const char *id);

/*
 * By hand: the stream plays the input at this position, or with 0 the next
 * one.  The position when that is settled at once (no worker runs: the next
 * one will begin with it), 0 when the worker is asked: then done is called,
 * once.  -ENOENT: there is no such stream, -EINVAL: it has no such input; or
 * another -errno.
 */
int reconciler_choose_input(struct reconciler *, const char *id,
			    unsigned position, input_choice_fn *done,
			    void *arg) MUST_CHECK;

/* What is known of the packets of a running stream: done is called, once.
 * -ENOENT: there is no such stream, or another -errno: it does not run, or too
 * many ask. */
int reconciler_analyze(struct reconciler *, const char *id, analysis_fn *done,
		       void *arg) MUST_CHECK;

/* TERM to all, KILL after a while; on_stopped when nobody is left (<= 5 s). */
void reconciler_stop(struct reconciler *);

/* What is known of a stream's process and its viewers. */
struct stream_proc_info {
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

/* False when the reconciler does not know id. */
bool reconciler_get_stream(const struct reconciler *, const char *id,
			   struct stream_proc_info *ret);

/* Numbers over all: running workers, viewers. */
void reconciler_totals(const struct reconciler *, unsigned *ret_workers,
		       unsigned *ret_viewers);

/* Tells who watches by http, as session_list.h says. */
void reconciler_list_sessions(struct reconciler *, session_list_fn *,
			      void *arg);
/* Appends those who called outputs of streams. */
void reconciler_list_receivers(const struct reconciler *, json_t *sessions);
/* Closes this session, if it is still there. */
void reconciler_close_session(struct reconciler *, uint64_t client);

/* The worker that hashes passwords, borrowed. */
struct auth_proc *reconciler_auth(struct reconciler *);
/* Where short-lived workers are started, borrowed. */
struct jobs *reconciler_jobs(struct reconciler *);
/* The worker that hears who asks for multicast groups, borrowed. */
struct querier_proc *reconciler_querier(struct reconciler *);
/* The worker that speaks TLS, borrowed. */
struct tls_proc *reconciler_tls(struct reconciler *);

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
#include "master/streams/input_scan.h"
#include "master/streams/input_choice.h"
#include "master/streams/session_list.h"
#include "master/streams/stream_proc.h"
#include "proto/ipc/msg.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct cue_command;
struct adapter_procs;
struct auth_proc;
struct backend_proc;
struct epg_proc;
struct picture_proc;
struct deliver_proc;
struct ev_loop;
struct handover;
struct jobs;
struct play_conf;
struct querier_proc;
struct reconciler;
struct sockaddr_any;
struct softcams;
struct spawner;
struct stream_conf;
struct tls_proc;
struct viewers;

struct reconciler_events {
	/* The status of a running stream, once a second, decoded and in
	 * bounds. */
	void (*on_stream_status)(const char *id,
				 const struct msg_stream_status *, void *arg);
	/* A running stream has switched to another input; may be NULL. */
	void (*on_stream_switched)(const char *id,
				   const struct msg_stream_switched *,
				   void *arg);
	/* The process of a stream has ended; failure: the reason, NULL: the
	 * master stopped it.  The member may be NULL. */
	void (*on_stream_down)(const char *id, const char *failure, void *arg);
	/* After reconciler_stop(): every worker has ended, or has not ended in
	 * time and is left behind.  The reconciler may be freed inside. */
	void (*on_stopped)(void *arg);
	/* The record of reconciler_write() has changed.  The member may be
	 * NULL. */
	void (*on_change)(void *arg);
};

struct reconciler_config {
	struct ev_loop *loop;
	const char *worker_path; /* path of the program sluice-worker */
	/* The settings at the start of the service, with the defaults of
	 * streams.  Copied; may be NULL. */
	const json_t *settings;
	/* The file of the saved guide; copied; NULL: it is not saved. */
	const char *epg_path;
	/* The file of the HLS numbers, see hls_bases_new(); copied; may be
	 * NULL. */
	const char *bases_path;
	uint64_t seed; /* for the session numbers of HLS: deliver_proc_new() */
	/* The address of the control server; NULL: unknown. */
	const struct sockaddr_any *control;
	const struct reconciler_events *events;
	void *arg;
};

struct reconciler *reconciler_new(const struct reconciler_config *);
void reconciler_free(struct reconciler **);

/* Records every process, ring and socket for the next master. */
void reconciler_write(struct reconciler *, struct handover *);
/* Adopts the workers of the previous master, which continue unless they have
 * another protocol.  Call it before the first reconciler_set_stream(). */
void reconciler_adopt(struct reconciler *, struct handover *);
/* Stops the adopted workers that no reconciler_set_stream() named.  Call it
 * after the last reconciler_set_stream() of the configuration. */
void reconciler_settle(struct reconciler *);

/* Sets the list `cas' of the configuration; a reference is kept.  NULL: none.
 * Call it before the streams. */
void reconciler_set_cas(struct reconciler *, const json_t *list);

/* Applies the configuration of a stream (borrowed, checked by config/check):
 * starts it, replaces a worker that runs with other settings, or stops it when
 * it is not enabled. */
void reconciler_set_stream(struct reconciler *, const char *id,
			   const struct stream_conf *);
/* The stream `from` was renamed to `to`: its worker, viewers and counters stay,
 * and so do those of the streams that read it.  Call reconciler_set_stream()
 * for each of them afterwards. */
void reconciler_rename_stream(struct reconciler *, const char *from,
			      const char *to);
void reconciler_remove_stream(struct reconciler *, const char *id);

/* Sets the defaults (copied; NULL: none) of streams that are set from now on.
 * Before a restart these are the settings of the next master, so that a stream
 * that starts now has them already, and the next master keeps its worker. */
void reconciler_set_defaults(struct reconciler *, const json_t *settings);

/* Returns the effect that reconciler_set_stream() would have on the process,
 * or, with NULL, reconciler_remove_stream().  settings as for
 * stream_proc_foresee(). */
enum stream_change reconciler_foresee(const struct reconciler *, const char *id,
				      const struct stream_conf *,
				      const json_t *settings);

/* Replaces the worker of a stream and those of its feeds at once, also in
 * quarantine.  A stream that shall not run stays stopped. */
void reconciler_restart_stream(struct reconciler *, const char *id);

/* Sends a splice command to the worker of a running stream; done gets the
 * answer of the worker.  Returns 0; -ENOENT: no such stream; -EAGAIN: the
 * stream does not run; or another -errno. */
int reconciler_cue(struct reconciler *, const char *id,
		   const struct cue_command *, cue_done_fn *done,
		   void *arg) MUST_CHECK;

/* Gets each new splice command that a worker finds in the output of its stream,
 * as a record (proto/si/record.h). */
typedef void splice_fn(const char *id, const json_t *record, void *arg);
void reconciler_watch_splices(struct reconciler *, splice_fn *, void *arg);

/*
 * Switches a stream to the input at this position, or with 0 to the next input.
 * If a worker runs, returns 0, and calls done once.  Without a worker, returns
 * the position with which the next worker will start; done is not called.
 * Errors: -ENOENT: no such stream.  -EINVAL: no such input.  Or another -errno.
 */
int reconciler_choose_input(struct reconciler *, const char *id,
			    unsigned position, input_choice_fn *done,
			    void *arg) MUST_CHECK;

/* Requests the analysis, or the plan, of a running stream; done is called once.
 * Returns 0; -ENOENT: no such stream; -ESRCH: it does not run; or another
 * -errno. */
int reconciler_analyze(struct reconciler *, const char *id, enum analysis_kind,
		       analysis_fn *done, void *arg) MUST_CHECK;

/* Requests the tables of an input of a running stream, see input_scan.h.  NULL
 * with *ret_err: -ENOENT: no such stream.  -EBUSY: another input of the stream
 * is being reported.  Or another -errno. */
struct input_scan *reconciler_scan(struct reconciler *, const char *id,
				   unsigned position,
				   const struct input_scan_events *,
				   void *arg, int *ret_err) MUST_CHECK;

/* Sends SIGTERM to all workers, and SIGKILL after a while.  on_stopped follows
 * within 5 s. */
void reconciler_stop(struct reconciler *);

/* Reads the state of a stream.  False: there is no such stream. */
bool reconciler_get_stream(const struct reconciler *, const char *id,
			   struct stream_proc_info *ret);

/* Returns the ring of a stream, read-only and borrowed; -1: it has none. */
int reconciler_ring(const struct reconciler *, const char *id);

/* Returns a warning about a library of the workers with known vulnerabilities,
 * borrowed; NULL: none is known. */
const char *reconciler_flaw(const struct reconciler *);

/* Writes the pids of all workers, also of adopted ones, to list, at most room
 * of them; returns how many. */
size_t reconciler_pids(const struct reconciler *, pid_t *list, size_t room);

/* Counts the running workers and the viewers of all streams. */
void reconciler_totals(const struct reconciler *, unsigned *ret_workers,
		       unsigned *ret_viewers);

/* closed: no http output serves viewers, see deliver_proc_close_viewers(). */
void reconciler_close_viewers(struct reconciler *, bool closed);
/* Requests the list of viewers of http outputs, see session_list.h. */
struct session_wait *reconciler_list_sessions(struct reconciler *,
					      session_list_fn *, void *arg);
/* Appends the receivers that connected to srt outputs to sessions. */
void reconciler_list_receivers(const struct reconciler *, json_t *sessions);
/* Disconnects the viewer or receiver with this number, if there is one. */
void reconciler_close_session(struct reconciler *, uint64_t client);

/* Opens the port of the play paths, if the settings have one.  Call it after
 * reconciler_adopt(), before the first reconciler_set_stream(). */
void reconciler_open_play(struct reconciler *);
/* Returns the settings of the play paths, borrowed. */
const struct play_conf *reconciler_play(const struct reconciler *);
/* The deliver workers, which serve viewers; borrowed. */
struct deliver_proc *reconciler_deliver(struct reconciler *);

/* Returns the alarm of service worker i, or its failure until a successor runs
 * steadily, borrowed; NULL: it has neither.  *ret_name: the name of the worker,
 * NULL: there are no more. */
const char *reconciler_service_alarm(const struct reconciler *, size_t i,
				     const char **ret_name);

/* The worker that hashes passwords, borrowed. */
struct auth_proc *reconciler_auth(struct reconciler *);
/* The worker that asks the authorization backend, borrowed. */
struct backend_proc *reconciler_backend(struct reconciler *);
/* The worker that makes pictures, borrowed. */
struct picture_proc *reconciler_picture(struct reconciler *);
/* The adapters, borrowed. */
struct adapter_procs *reconciler_adapters(struct reconciler *);
/* The worker that keeps the guide, borrowed. */
struct epg_proc *reconciler_epg(struct reconciler *);
struct epg_docs *reconciler_epg_docs(struct reconciler *);
/* The softcams, borrowed. */
struct softcams *reconciler_softcams(struct reconciler *);
/* Sets the judge of viewers (borrowed), before the first stream.  NULL removes
 * it: from then on every viewer is denied.  NULL-safe. */
void reconciler_set_viewers(struct reconciler *, struct viewers *);
/* The starter of all workers, borrowed. */
struct spawner *reconciler_spawner(struct reconciler *);
/* The starter of short-lived workers, borrowed. */
struct jobs *reconciler_jobs(struct reconciler *);
/* The worker that listens for IGMP and MLD queriers, borrowed. */
struct querier_proc *reconciler_querier(struct reconciler *);
/* The worker that terminates TLS, borrowed. */
struct tls_proc *reconciler_tls(struct reconciler *);

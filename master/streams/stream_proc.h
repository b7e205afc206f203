/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of the reconciler: its plan, its worker, its ring and the paths that
 * viewers request.
 *
 * The ring outlives the worker: the next worker continues at the same
 * position, and the viewers stay.  Owns the plan, the worker, the ring, the
 * kept memory and the mounts.  Borrows the loop, the spawner and deliver.
 */
#pragma once

#include "common/base/util.h"
#include "master/streams/analysis_request.h"
#include "master/streams/input_choice.h"
#include "master/streams/input_scan.h"
#include "master/streams/receivers.h"
#include "master/streams/switch_log.h"
#include "proto/ipc/msg.h"
#include "proto/si/cue_command.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cas_procs;
struct deliver_proc;
struct ev_loop;
struct handover;
struct play_conf;
struct softcams;
struct spawner;
struct stream_conf;
struct stream_links;
struct stream_proc;
struct viewers;

struct stream_proc_events {
	/* Once a second while it runs.  Not after stream_proc_remove(). */
	void (*on_status)(const char *id, const struct msg_stream_status *,
			  void *arg);
	/* The stream has switched to another input.  Not after
	 * stream_proc_remove(). */
	void (*on_switched)(const char *id, const struct msg_stream_switched *,
			    void *arg);
	/* A new splice command in its output.  Not after
	 * stream_proc_remove().  May be NULL. */
	void (*on_splice)(const char *id, const json_t *record, void *arg);
	/* The process ended; failure: why, NULL: it was stopped.  Not after
	 * stream_proc_remove(). */
	void (*on_down)(const char *id, const char *failure, void *arg);
	/* It starts or stops as its viewers want: stream_proc_is_wanted() has
	 * changed.  May be freed inside. */
	void (*on_demand)(struct stream_proc *, void *arg);
	/* stream_proc_ring() has changed. */
	void (*on_ring)(struct stream_proc *, void *arg);
	/* The ring of another stream, borrowed; -1: it has none. */
	int (*ring_of)(const char *stream, void *arg);
	/* The object of another stream that is enabled, borrowed, or NULL; the
	 * member may be NULL. */
	const json_t *(*source_of)(const char *stream, void *arg);
	/* Its worker was started, and has no events of the guide.  May be
	 * NULL. */
	void (*on_up)(const char *id, void *arg);
	/* Its worker has the streams of nit_other, and has no events of new
	 * ones.  May be NULL. */
	void (*on_network)(const char *id, void *arg);
	/* No process runs and none is wanted; may be freed inside. */
	void (*on_gone)(struct stream_proc *, void *arg);
};

struct stream_proc_config {
	struct ev_loop *loop;
	struct spawner *spawner;
	struct deliver_proc *deliver;
	struct softcams *softcams; /* NULL: none */
	struct cas_procs *cas; /* NULL: streams with cas_list get no ECMs */
	const json_t *settings; /* those in force; or NULL */
	/* an object with the defaults of streams, whose content may change:
	 * see reconciler_set_defaults() */
	const json_t *defaults;
	const struct play_conf *play; /* NULL: no play paths */
	struct hls_bases *bases; /* of the rings of all streams */
	bool epg; /* the guide reads the ring of each stream */
	/* the stream feeds a multiplex (feeds.h): it runs as long as its
	 * reader, and has the ring of mpts.h */
	bool feed;
	/* the rules for receivers; NULL, or a pointer to NULL: none */
	struct viewers *const *viewers;
	const struct stream_proc_events *events;
	void *arg;
};

struct stream_proc *stream_proc_new(const struct stream_proc_config *,
				    const char *id);
/* NULL-safe; sets *p to NULL.  Kills a process that still runs. */
void stream_proc_free(struct stream_proc **);

/* The record for the next master, a new JSON object. */
json_t *stream_proc_write(struct stream_proc *, struct handover *);
/* Adopts the worker in the record (checked) of the previous master into a new
 * stream. */
void stream_proc_adopt(struct stream_proc *, const json_t *record,
		       struct handover *);

/* Applies the configuration (borrowed).  others_read: a stream:// input of
 * another stream reads this one, so it needs a ring. */
void stream_proc_set(struct stream_proc *, const struct stream_conf *,
		     bool others_read);
/* The stream has this id now; its worker, viewers and counters stay. */
void stream_proc_rename(struct stream_proc *, const char *id);
/* The stream `from` has the id `to` now: the inputs that read it name it so,
 * and the worker stays. */
void stream_proc_rename_link(struct stream_proc *, const char *from,
			     const char *to);
/* An adopted stream that stream_proc_set() never named is not configured. */
bool stream_proc_is_configured(const struct stream_proc *);
/* Starts a new worker at once if the stream is enabled.  A deliver worker that
 * waits for its next start does not wait any longer. */
void stream_proc_restart(struct stream_proc *);
/* error: "" if the command is sent.  Called from the loop; the stream may not
 * be freed inside. */
typedef void cue_done_fn(const char *error, void *arg);
/* As reconciler_cue(). */
int stream_proc_cue(struct stream_proc *, const struct cue_command *,
		    cue_done_fn *done, void *arg) MUST_CHECK;

/* Gives its worker events of the guide for EIT; fd is borrowed. */
void stream_proc_guide(struct stream_proc *, const struct msg_stream_guide *,
		       int fd);

/* As reconciler_choose_input(). */
int stream_proc_choose_input(struct stream_proc *, unsigned position,
			     input_choice_fn *, void *arg) MUST_CHECK;
/* As reconciler_analyze(). */
int stream_proc_analyze(struct stream_proc *, enum analysis_kind,
			analysis_fn *, void *arg) MUST_CHECK;
/* Adds the programs that it reads from this adapter. */
void stream_proc_add_programs(const struct stream_proc *, const char *link,
			      struct msg_adapter_programs *);

/* The requests for tables of its inputs, borrowed. */
struct input_scans *stream_proc_scans(struct stream_proc *);
/* Stops the worker and closes the viewers.  on_gone may come inside. */
void stream_proc_stop(struct stream_proc *);
/* The configuration has no such stream any more: as stream_proc_stop(), and
 * its readers lose the ring.  stream_proc_set() undoes it. */
void stream_proc_remove(struct stream_proc *);
bool stream_proc_is_removed(const struct stream_proc *);

/* Somebody decides about the callers of its outputs now. */
void stream_proc_use_viewers(struct stream_proc *);

/* The receivers that connected to its outputs. */
const struct receivers *stream_proc_receivers(const struct stream_proc *);
/* Disconnects one of them. */
void stream_proc_kick(struct stream_proc *, uint64_t client);

/* others_read as in stream_proc_set(). */
void stream_proc_set_read(struct stream_proc *, bool others_read);
/* The worker is wanted: the stream is not on demand, or has a viewer. */
bool stream_proc_is_wanted(const struct stream_proc *);
/* The stream reader, whose worker is wanted, reads this one, so it runs; NULL:
 * there is none. */
void stream_proc_set_demanded(struct stream_proc *, const char *reader);
/* The ring for its readers, borrowed; -1: none. */
int stream_proc_ring(const struct stream_proc *);
/* The streams that its inputs read, each once. */
struct stream_links stream_proc_links(const struct stream_proc *);
/* True when it is enabled and an input reads this stream. */
bool stream_proc_reads(const struct stream_proc *, const char *stream);
/* Appends the programs of an adapter (link) whose CAM descrambles them to n
 * others, each once, up to max; returns their number. */
size_t stream_proc_modules(const struct stream_proc *, const char *link,
			   uint16_t *ret, size_t n, size_t max);
/* Its `filler', borrowed up to the next stream_proc_set(); NULL: none. */
const char *stream_proc_filler(const struct stream_proc *);
/* The ring of a stream that it reads has changed. */
void stream_proc_relink(struct stream_proc *, const char *stream);

/* Does it run, or is about to, and name this CA system? */
bool stream_proc_uses_cas(const struct stream_proc *, const char *id);

bool stream_proc_is_gone(const struct stream_proc *);
bool stream_proc_is_running(const struct stream_proc *);
const char *stream_proc_id(const struct stream_proc *);

/* What a change does to the process of a stream. */
enum stream_change {
	STREAM_STAYS,
	STREAM_STARTS,
	STREAM_RESTARTS, /* its viewers stay, the output pauses */
	STREAM_STOPS,
};

/* What stream_proc_set() would do; settings: those of the next master, NULL:
 * those of reconciler_set_defaults(). */
enum stream_change stream_proc_foresee(const struct stream_proc *,
				       const struct stream_conf *,
				       const json_t *settings);

/* The process of a stream and its viewers, for status and API. */
struct stream_proc_info {
	const char *state; /* "stopped", "starting", "running", "stopping",
				* "backoff", "quarantine", "lost" */
	bool waiting; /* for a viewer: it is on demand */
	int pid; /* 0: no process */
	unsigned restarts; /* failures since it was configured */
	const char *alarm; /* a sentence; NULL: no alarm */
	const char *fault; /* as worker_proc_fault() */
	unsigned silent_s; /* since the last status of a running worker */
	uint32_t viewers;
	uint64_t viewers_cut;
	const struct switch_log *switches; /* NULL: none known */
	/* n_outputs entries; [i]: why the http output i + 1 is not served
	 * ("port in use …"); NULL: it is served, or not http. */
	size_t n_outputs;
	const char *output_errors[MSG_OUTPUTS_MAX];
	/* The viewers of an http output, and those cut because too slow. */
	uint32_t output_viewers[MSG_OUTPUTS_MAX];
	uint64_t output_cut[MSG_OUTPUTS_MAX];
};

void stream_proc_get(const struct stream_proc *, struct stream_proc_info *ret);

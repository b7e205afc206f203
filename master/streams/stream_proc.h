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
	/* The status of the running stream, once a second.  Not called after
	 * stream_proc_remove(). */
	void (*on_status)(const char *id, const struct msg_stream_status *,
			  void *arg);
	/* The stream has switched to another input.  Not called after
	 * stream_proc_remove(). */
	void (*on_switched)(const char *id, const struct msg_stream_switched *,
			    void *arg);
	/* The output has a new splice command.  Not called after
	 * stream_proc_remove().  The member may be NULL. */
	void (*on_splice)(const char *id, const json_t *record, void *arg);
	/* The process has ended; failure: the reason, NULL: the master stopped
	 * it.  Not called after stream_proc_remove(). */
	void (*on_down)(const char *id, const char *failure, void *arg);
	/* stream_proc_is_wanted() has changed, because viewers or readers have
	 * come or left.  The stream may be freed inside. */
	void (*on_demand)(struct stream_proc *, void *arg);
	/* stream_proc_ring() has changed. */
	void (*on_ring)(struct stream_proc *, void *arg);
	/* Returns the ring of another stream or an adapter, borrowed; -1: it
	 * has none. */
	int (*ring_of)(const char *stream, void *arg);
	/* Returns the object of another stream, borrowed; NULL: it is not
	 * enabled.  The member may be NULL. */
	const json_t *(*source_of)(const char *stream, void *arg);
	/* A new worker runs, and needs the events of the guide.  The member may
	 * be NULL. */
	void (*on_up)(const char *id, void *arg);
	/* The worker has received the streams of nit_other, and needs the
	 * events of new ones.  The member may be NULL. */
	void (*on_network)(const char *id, void *arg);
	/* The process has ended and shall not run again.  The stream may be
	 * freed inside. */
	void (*on_gone)(struct stream_proc *, void *arg);
};

struct stream_proc_config {
	struct ev_loop *loop;
	struct spawner *spawner;
	struct deliver_proc *deliver;
	struct softcams *softcams; /* NULL: no softcams */
	struct cas_procs *cas; /* NULL: streams with cas_list get no ECMs */
	const json_t *settings; /* settings of the service; may be NULL */
	/* The defaults of streams; reconciler_set_defaults() may change the
	 * content of this object. */
	const json_t *defaults;
	const struct play_conf *play; /* NULL: no play paths */
	struct hls_bases *bases; /* HLS numbers of all rings */
	bool epg; /* the guide reads the ring of each stream */
	/* The stream is a feed of a multiplex (feeds.h): it runs as long as its
	 * reader, and its ring has MPTS_RING_SIZE. */
	bool feed;
	/* The judge of receivers; NULL, or a pointer to NULL: none. */
	struct viewers *const *viewers;
	const struct stream_proc_events *events;
	void *arg;
};

struct stream_proc *stream_proc_new(const struct stream_proc_config *,
				    const char *id);
/* NULL-safe; sets *p to NULL.  Kills a process that still runs. */
void stream_proc_free(struct stream_proc **);

/* Records the stream for the next master: a new JSON object. */
json_t *stream_proc_write(struct stream_proc *, struct handover *);
/* Adopts the worker in the record of the previous master into a new stream;
 * ignores invalid parts of the record. */
void stream_proc_adopt(struct stream_proc *, const json_t *record,
		       struct handover *);

/* Applies the configuration (borrowed).  others_read: another stream (with a
 * stream:// input) or an adapter reads this one, so it needs a ring. */
void stream_proc_set(struct stream_proc *, const struct stream_conf *,
		     bool others_read);
/* The stream was renamed to this id; its worker, viewers and counters stay. */
void stream_proc_rename(struct stream_proc *, const char *id);
/* The stream `from` was renamed to `to`: the inputs that read it use the new
 * id, and the worker stays. */
void stream_proc_rename_link(struct stream_proc *, const char *from,
			     const char *to);
/* True: stream_proc_set() was called.  An adopted stream without such a call is
 * not in the configuration. */
bool stream_proc_is_configured(const struct stream_proc *);
/* If stream_proc_is_wanted(): ends the worker that runs, if any, and starts a
 * new one without a pause.  If the stream has mounts, the deliver workers that
 * wait for their next start also start at once. */
void stream_proc_restart(struct stream_proc *);
/* Gets the answer to a splice command; error "": the worker sends it.  Called
 * from the loop; must not free the stream. */
typedef void cue_done_fn(const char *error, void *arg);
/* As reconciler_cue(). */
int stream_proc_cue(struct stream_proc *, const struct cue_command *,
		    cue_done_fn *done, void *arg) MUST_CHECK;

/* Sends events of the guide for EIT to the worker; fd is borrowed. */
void stream_proc_guide(struct stream_proc *, const struct msg_stream_guide *,
		       int fd);

/* As reconciler_choose_input(). */
int stream_proc_choose_input(struct stream_proc *, unsigned position,
			     input_choice_fn *, void *arg) MUST_CHECK;
/* As reconciler_analyze(). */
int stream_proc_analyze(struct stream_proc *, enum analysis_kind,
			analysis_fn *, void *arg) MUST_CHECK;
/* Adds the programs and PIDs that the stream reads from the adapter with this
 * link. */
void stream_proc_add_programs(const struct stream_proc *, const char *link,
			      struct msg_adapter_programs *);

/* Returns the requests for tables of the inputs, borrowed. */
struct input_scans *stream_proc_scans(struct stream_proc *);
/* Stops the worker and disconnects the viewers.  on_gone may be called
 * inside. */
void stream_proc_stop(struct stream_proc *);
/* The stream was removed from the configuration: stops it as
 * stream_proc_stop(), and takes the ring from its readers.  stream_proc_set()
 * undoes it. */
void stream_proc_remove(struct stream_proc *);
bool stream_proc_is_removed(const struct stream_proc *);

/* The judge of receivers (cfg.viewers) was set: from now on it answers the
 * questions of the worker about callers of its outputs. */
void stream_proc_use_viewers(struct stream_proc *);

/* Returns the receivers that connected to the outputs, borrowed. */
const struct receivers *stream_proc_receivers(const struct stream_proc *);
/* Disconnects a receiver. */
void stream_proc_kick(struct stream_proc *, uint64_t client);

/* Sets others_read of stream_proc_set(): if true, makes the ring for the
 * readers. */
void stream_proc_set_read(struct stream_proc *, bool others_read);
/* True: the worker shall run: the stream is enabled, not removed and without an
 * error, and is not on demand, or has a viewer or reader, or had one until a
 * short time ago (demand.h). */
bool stream_proc_is_wanted(const struct stream_proc *);
/* reader: id of a stream or adapter that reads this one and whose worker is
 * wanted, so that this one must run; NULL: none does. */
void stream_proc_set_demanded(struct stream_proc *, const char *reader);
/* Returns the ring for readers, borrowed; -1: none. */
int stream_proc_ring(const struct stream_proc *);
/* Returns the streams and adapters that the inputs read, each once. */
struct stream_links stream_proc_links(const struct stream_proc *);
/* True: the stream is enabled, and an input reads this stream or adapter. */
bool stream_proc_reads(const struct stream_proc *, const char *stream);
/* Appends the programs of an adapter (link) that its CAM shall descramble for
 * this stream to the n programs in ret, each once, up to max; returns the new
 * number. */
size_t stream_proc_modules(const struct stream_proc *, const char *link,
			   uint16_t *ret, size_t n, size_t max);
/* Returns the value of `filler', borrowed until the next stream_proc_set();
 * NULL: none. */
const char *stream_proc_filler(const struct stream_proc *);
/* The ring of a stream that this one reads has changed: sends it to the
 * worker. */
void stream_proc_relink(struct stream_proc *, const char *stream);

/* True: the stream shall run, and names this CA system. */
bool stream_proc_uses_cas(const struct stream_proc *, const char *id);

bool stream_proc_is_gone(const struct stream_proc *);
bool stream_proc_is_running(const struct stream_proc *);
const char *stream_proc_id(const struct stream_proc *);

/* The effect of a change on the process of a stream. */
enum stream_change {
	STREAM_STAYS,
	STREAM_STARTS,
	STREAM_RESTARTS, /* the viewers stay connected, the output pauses */
	STREAM_STOPS,
};

/* Returns the effect that stream_proc_set() would have.  settings: those of the
 * next master; NULL: those of reconciler_set_defaults(). */
enum stream_change stream_proc_foresee(const struct stream_proc *,
				       const struct stream_conf *,
				       const json_t *settings);

/* The process of a stream and its viewers, for status and API. */
struct stream_proc_info {
	const char *state; /* "stopped", "starting", "running", "stopping",
				* "backoff", "quarantine", "lost" */
	bool waiting; /* on demand: stopped until it gets a viewer or reader */
	int pid; /* 0: no process */
	unsigned restarts; /* number of times that the worker has failed */
	const char *alarm; /* a sentence; NULL: no alarm */
	/* the alarm, or why the worker failed, until its successor runs
	 * steadily (worker_proc_fault()); NULL: no fault */
	const char *fault;
	/* seconds since the last status of a running worker */
	unsigned silent_s;
	uint32_t viewers;
	uint64_t viewers_cut; /* viewers disconnected for slowness */
	const struct switch_log *switches; /* NULL: none known */
	size_t n_outputs; /* number of entries in the next three lists */
	/* [i]: why the http output i + 1 is not served ("port in use …");
	 * NULL: it is served, or is not http. */
	const char *output_errors[MSG_OUTPUTS_MAX];
	/* [i]: viewers of the http output i + 1 */
	uint32_t output_viewers[MSG_OUTPUTS_MAX];
	/* [i]: viewers of the http output i + 1 disconnected for slowness */
	uint64_t output_cut[MSG_OUTPUTS_MAX];
};

void stream_proc_get(const struct stream_proc *, struct stream_proc_info *ret);

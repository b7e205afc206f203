/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One stream of the reconciler: its plan, its worker, its ring and its mounts.
 *
 * The ring outlives the worker: the next one goes on at the same position,
 * and the viewers stay.  Owns all four; borrows the loop, spawner and deliver.
 */
#pragma once

#include "master/streams/reconciler.h"
#include "master/streams/receivers.h"
#include "proto/spec/io_spec.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/queue.h>

struct deliver_proc;
struct entry;
struct handover;
struct spawner;

struct entry_events {
	void (*on_status)(const char *id, const struct msg_stream_status *,
			  void *arg);
	void (*on_switched)(const char *id, const struct msg_stream_switched *,
			    void *arg);
	/* entry_ring() is another one, or there is none any more. */
	void (*on_ring)(struct entry *, void *arg);
	/* The ring of another stream, borrowed; -1: it has none. */
	int (*ring_of)(const char *stream, void *arg);
	/* Its process is gone and none is wanted; may be freed inside. */
	void (*on_gone)(struct entry *, void *arg);
};

struct entry_config {
	struct ev_loop *loop;
	struct spawner *spawner;
	struct deliver_proc *deliver;
	const json_t *settings; /* with the defaults of streams; or NULL */
	const struct entry_events *events;
	void *arg;
};

struct entry *entry_new(const struct entry_config *, const char *id);
/* NULL-safe; sets *e to NULL.  Kills what still runs. */
void entry_free(struct entry **);

/* What a next master has to know of it, as a new JSON object. */
json_t *entry_write(struct entry *, struct handover *);
/* Takes up what a master before us wrote (judged) into a new entry. */
void entry_take(struct entry *, const json_t *record, struct handover *);

/* Runs it as it is configured (borrowed). */
void entry_set(struct entry *, const struct stream_conf *);
/* A new worker at once, when it is enabled; deliver too, when it waits for its
 * next start and the stream needs it. */
void entry_restart(struct entry *);
/* As reconciler_choose_input(). */
int entry_choose_input(struct entry *, unsigned position, input_choice_fn *,
		       void *arg) MUST_CHECK;
/* As reconciler_analyze(). */
int entry_analyze(struct entry *, analysis_fn *, void *arg) MUST_CHECK;
/* Nothing is wanted any more; nobody watches.  on_gone may come inside. */
void entry_stop(struct entry *);

/* Those who called its outputs. */
const struct receivers *entry_receivers(const struct entry *);
/* Sends one of them away. */
void entry_kick(struct entry *, uint64_t client);
/* Others read it: it has a ring, whatever its outputs are. */
void entry_set_read(struct entry *, bool read);
/* The ring to read it from, borrowed; -1: none. */
int entry_ring(const struct entry *);
/* The streams that it reads, each once. */
struct entry_links {
	size_t n;
	char ids[MSG_INPUTS_MAX][IO_ID_MAX + 1];
};
struct entry_links entry_links(const struct entry *);
/* Does it read this stream? */
bool entry_reads(const struct entry *, const char *stream);
/* The ring of a stream that it reads is another one. */
void entry_relink(struct entry *, const char *stream);

bool entry_is_gone(const struct entry *);
bool entry_is_running(const struct entry *);
const char *entry_id(const struct entry *);
void entry_get(const struct entry *, struct stream_proc_info *ret);

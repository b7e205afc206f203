/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pipeline of a stream, from its inputs to its ring and its outputs.
 * pipeline.c names the stages in the order in which packets pass them.
 *
 * Owns the stages and their watchers.  While packets arrive, the inputs are
 * read at every tick, not at every datagram.  After a few ticks without a
 * packet the worker sleeps in the socket and uses no CPU.  Once a second, in
 * the same wake-ups, the pipeline reports its status.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>

struct channel;
struct ev_loop;
struct pipeline;
struct selector_switch;
struct ticker_wakes;

struct pipeline_config {
	struct ev_loop *loop;
	/* Borrowed for the call. */
	const struct msg_stream_start *start;
	int ring; /* descriptor of the ring, or -1; not taken */
	/* descriptor of the stream_memory (memory.h), or -1; not taken */
	int memory;
	/* Descriptors that wake the loop, as in ticker_config. */
	const struct ticker_wakes *wake;
	/* Called once a second; the status is borrowed.  It must not free the
	 * pipeline. */
	void (*on_status)(const struct msg_stream_status *, void *arg);
	/* Called when the stream has switched to another input or to none, and
	 * when a chosen input cannot be on air; may be NULL. */
	void (*on_switch)(const struct selector_switch *, void *arg);
	/* Called with the receivers of an output when they have changed, and
	 * while there are any every few seconds; may be NULL. */
	void (*on_receivers)(const struct msg_stream_receivers *, void *arg);
	/* Sends the questions of outputs to the master (admission.h), and the
	 * questions to softcams. */
	int (*send)(const struct msg *, void *arg);
	void *arg;
};

/* Makes and starts a pipeline.  It never fails: inputs and outputs that cannot
 * be opened are reported, and opened later. */
struct pipeline *pipeline_new(const struct pipeline_config *);
void pipeline_free(struct pipeline **);

/* Writes the stream to this ring from now on (fd is not taken). */
void pipeline_use_ring(struct pipeline *, int fd);

/* Gives the ring of another stream to the inputs, as selector_link(). */
void pipeline_link(struct pipeline *, const char *stream, int fd);
/* Sets the channel to the worker of a CA system, as cas_stage_link(). */
void pipeline_link_cas(struct pipeline *, unsigned place, int fd);
/* Sets whether the system clock is synchronised.  Before the first call it
 * counts as synchronised. */
void pipeline_set_clock(struct pipeline *, bool synchronised);
/* Replaces the streams of nit_other, as own_tables_set_others(). */
void pipeline_set_network(struct pipeline *, const json_t *streams);
/* Takes events of the guide, as own_tables_guide(). */
void pipeline_guide(struct pipeline *, const struct msg_stream_guide *,
		    int fd);
/* Sends a splice command, as own_tables_cue(). */
bool pipeline_cue(struct pipeline *, const struct msg_stream_cue *,
		  struct errmsg *error);
/* Follows the new id of another stream, as selector_rename(). */
void pipeline_rename(struct pipeline *, const char *from, const char *to);

/* Chooses an input by a command, as selector_choose(). */
int pipeline_choose(struct pipeline *, unsigned position,
		    struct errmsg *error) MUST_CHECK;

/* The analysis of the input at position `place`, or of the output for 0: a new
 * object as doc/api.md describes it.  It begins with the PID `from`; *ret_next
 * is the first PID of the next part, 0 at the end. */
json_t *pipeline_analysis(const struct pipeline *, unsigned place,
			  unsigned from, unsigned *ret_next);

/* A part of the plan of the input at this position, as mux_stage_plan(). */
json_t *pipeline_plan(const struct pipeline *, unsigned position,
		      unsigned from, unsigned *ret_next);

/* Reports the tables of an input on this channel, see tap.h. */
void pipeline_scan(struct pipeline *, const struct msg_stream_scan *,
		   struct channel *);

/* Disconnects a receiver of an output; false: there is no such receiver. */
bool pipeline_kick(struct pipeline *, uint64_t client);

/* Sets whether the callers of outputs need a permission of the master
 * (admission.h).  Before the first call they do. */
void pipeline_set_policy(struct pipeline *, bool authorize);
/* Takes the answer of the master to the question with number seq. */
void pipeline_answer(struct pipeline *, const struct msg_deliver_answer *,
		     uint32_t seq);
/* Takes the message stream.cam or stream.word of a softcam. */
void pipeline_take_cam(struct pipeline *, const struct msg *);
/* Asks the master again whether this receiver of an output may stay; 0: all
 * receivers. */
void pipeline_review(struct pipeline *, uint64_t client);

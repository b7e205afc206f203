/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data path of one stream: inputs, the choice of one, ring, outputs.
 *
 * Owns all of them and two watchers.  While packets come it looks at the
 * inputs at every tick, not at every datagram; when nothing came for a few
 * ticks it waits for the socket and costs nothing.  Once a second, from the
 * same wake-ups, it tells its owner the status.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <jansson.h>

struct ev_loop;
struct pipeline;
struct selector_switch;
struct ticker_wakes;

struct pipeline_config {
	struct ev_loop *loop;
	/* Both borrowed for the call of pipeline_new(). */
	const struct msg_stream_start *start;
	const char *id;
	int ring; /* descriptor of the ring, or -1; not taken */
	int memory; /* of stream_memory (memory.h), or -1; not taken */
	/* What wakes the loop while a stream flows, as of ticker_init(). */
	const struct ticker_wakes *wake;
	/* Once a second; the status is borrowed.  The path must not be freed
	 * inside. */
	void (*on_status)(const struct msg_stream_status *, void *arg);
	/* Another input plays from now on, see selector.h; may be NULL. */
	void (*on_switch)(const struct selector_switch *, void *arg);
	/* Who receives from an output has changed; may be NULL. */
	void (*on_receivers)(const struct msg_stream_receivers *, void *arg);
	void *arg;
};

/* Never fails: what cannot be opened is reported and tried again. */
struct pipeline *pipeline_new(const struct pipeline_config *);
void pipeline_free(struct pipeline **);

/* From now on it is written to this ring (fd is not taken), too. */
void pipeline_use_ring(struct pipeline *, int fd);

/* As selector_link(). */
void pipeline_link(struct pipeline *, const char *stream, int fd);

/* By hand, as selector_choose(). */
int pipeline_choose(struct pipeline *, unsigned position,
                    struct errmsg *why) MUST_CHECK;

/* What is known of an input, by its position, or with 0 of what is sent: a new
 * object as doc/api.md describes it.  It begins with the PID `from`; *ret_next
 * is where to go on, 0 at the end. */
json_t *pipeline_analysis(const struct pipeline *, unsigned place,
                          unsigned from, unsigned *ret_next);

/* Sends a receiver of an output away; false: he is not there. */
bool pipeline_kick(struct pipeline *, uint64_t client);

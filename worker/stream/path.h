/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data path of one stream: input, analysis, ring, outputs.
 *
 * Owns all of them and two watchers.  While packets come it looks at the
 * input at every tick, not at every datagram; when nothing came for a few
 * ticks it waits for the socket and costs nothing.  Once a second, from the
 * same wake-ups, it tells its owner the status.
 *
 * The first input that has a meaning runs; the others wait.
 */
#pragma once

#include "proto/msg.h"

struct ev_loop;
struct path;

struct path_config {
	struct ev_loop *loop;
	/* Both borrowed for the call of path_new(). */
	const struct msg_stream_start *start;
	const char *id;
	int ring;       /* descriptor of the ring, or -1; not taken */
	/* Once a second; the status is borrowed.  The path must not be freed
	 * inside. */
	void (*on_status)(const struct msg_stream_status *, void *arg);
	void *arg;
};

/* Never fails: what cannot be opened is reported and tried again. */
struct path *path_new(const struct path_config *);
void path_free(struct path **);

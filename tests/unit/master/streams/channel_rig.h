/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master's end of a channel, and a worker that only records its messages.
 * */
#pragma once

#include "proto/ipc/channel.h"

#include <ev.h>

struct channel_rig {
	struct ev_loop *loop;
	struct channel *master, *worker;
	unsigned heard; /* by the worker */
	void (*on_request)(const struct msg *, void *arg);
	void *arg;
};

/* on_request is called for each message that the worker receives. */
void channel_rig_init(struct channel_rig *,
		      void (*on_request)(const struct msg *, void *arg),
		      void *arg);
void channel_rig_done(struct channel_rig *);

/* Runs the loop until the counter is that high; fails the test after 10 s. */
void channel_rig_wait(struct channel_rig *, const unsigned *counter,
		      unsigned least);

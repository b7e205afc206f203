/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One end of the SEQPACKET channel between the master and a worker.
 *
 * Owns its descriptor and two watchers; borrows the loop and the events.
 * The peer is hostile until judged: a datagram that does not decode, or that
 * the peer's side may not say, or with another number of descriptors than it
 * needs, is a strike; CHANNEL_STRIKES strikes close the channel (on_close with
 * -EBADMSG), and so does a flood of a worker.  What cannot be written at once
 * waits in order; log and status messages are dropped (and counted) while the
 * peer does not read, commands never: a full queue closes the channel with
 * -ENOBUFS.  Who has much to say at once (all that there is, to a new worker)
 * says it while channel_is_idle() and goes on in on_drained: then nothing but
 * a peer that does not read can fill the queue.  One message a wake-up: no
 * channel keeps the others waiting.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct ev_loop;
struct channel;

struct channel_events {
	/* fds belong to the receiver: it sets those it keeps to -1; the rest
	 * is closed after the call.  n_fds is msg_fds() of the message.  The
	 * channel may be freed inside. */
	void (*on_message)(struct channel *, const struct msg *, int *fds,
			   size_t n_fds, void *arg);
	/* err: 0 for an orderly end, else -errno; why may be "".  Called once,
	 * nothing after it. */
	void (*on_close)(struct channel *, int err, const char *why,
			 void *arg);
	/* What waited was written.  May be NULL; from the loop, and the
	 * channel may be freed inside. */
	void (*on_drained)(struct channel *, void *arg);
};

struct channel_config {
	struct ev_loop *loop;
	int fd;                 /* taken */
	enum msg_side hear;     /* the side whose messages arrive here */
	const struct channel_events *events;
	void *arg;
};

struct channel *channel_new(const struct channel_config *);

/* NULL-safe; sets *c to NULL.  Allowed inside both events. */
void channel_free(struct channel **);

/* Sends with the msg_fds() borrowed descriptors of the message (duplicated
 * when it has to wait).  0, -EMSGSIZE, -EAGAIN for a dropped log or status, or
 * -EPIPE when the channel is closed; on_close is never called in here. */
int channel_send(struct channel *, const struct msg *, const int *fds,
		 size_t n_fds);

/* Nothing waits: what is sent next goes straight to the kernel. */
bool channel_is_idle(const struct channel *);

/* How many messages wait. */
size_t channel_waiting(const struct channel *);

/* Log and status messages dropped so far. */
uint64_t channel_dropped(const struct channel *);

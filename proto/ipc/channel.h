/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An end of the SEQPACKET channel between the master and a worker.
 *
 * Owns its descriptor and two watchers; borrows the loop and the events.
 *
 * The peer is not trusted.  A datagram that does not decode, is for the other
 * side, or has a wrong number of descriptors is a strike.  CHANNEL_STRIKES
 * strikes, or a flood of messages from a worker, close the channel (on_close
 * with -EBADMSG).
 *
 * A message that the kernel does not take at once waits in a queue.  While the
 * peer does not read, log and status messages are dropped (-EAGAIN); commands
 * are never dropped: a full queue closes the channel with -ENOBUFS.  An owner
 * with many messages (the whole state, to a new worker) sends them while
 * channel_is_idle() and continues in on_drained, so that only a peer that does
 * not read fills the queue.
 *
 * A wake-up of the loop reads one message: no channel delays the others.  A
 * worker may ask for a batch: it has the messages that wait before its loop
 * handles anything else, so that a client that connects after the reply to a
 * command finds what the command has changed.
 *
 * What the messages of a worker cost in on_message is bounded, whatever their
 * type: above CHANNEL_COST_PERCENT of a processor the next ones wait, and a
 * worker that goes on for CHANNEL_COST_OWED_MS floods.
 */
#pragma once

#include "common/base/util.h"
#include "proto/ipc/msg.h"

#include <stdbool.h>
#include <stdint.h>

struct ev_loop;
struct channel;

struct channel_events {
	/* The receiver sets descriptors that it keeps to -1; the others are
	 * closed after the call.  n_fds is msg_fds() of the message.  The
	 * channel may be freed inside. */
	void (*on_message)(struct channel *, const struct msg *, int *fds,
			   size_t n_fds, void *arg);
	/* err: 0 after the peer closed, else -errno; error may be "".  No other
	 * call follows it. */
	void (*on_close)(struct channel *, int err, const char *error,
			 void *arg);
	/* The queue is empty again.  May be NULL.  Called from the loop; the
	 * channel may be freed inside. */
	void (*on_drained)(struct channel *, void *arg);
};

struct channel_config {
	struct ev_loop *loop;
	int fd;                 /* taken */
	enum msg_side receives; /* direction of the messages that arrive here */
	unsigned batch; /* most messages that a wake-up reads before the loop
			 * does anything else; 0: one, as for all others */
	const struct channel_events *events;
	void *arg;
};

struct channel *channel_new(const struct channel_config *);

/* NULL-safe; sets *c to NULL.  Allowed inside each of the events. */
void channel_free(struct channel **);

/* The peer has ended: calls on_message, which may not free the channel here,
 * for each log line that it had sent and that was not read yet.  Its other
 * messages are discarded. */
void channel_take_logs(struct channel *);

/* Sends with the msg_fds() borrowed descriptors of the message (duplicated
 * when it has to wait).  0, -EMSGSIZE, -EAGAIN for a dropped log or status, or
 * -EPIPE when the channel is closed; on_close is never called in here. */
int channel_send(struct channel *, const struct msg *, const int *fds,
		 size_t n_fds);

/* No message waits: the next one goes straight to the kernel. */
bool channel_is_idle(const struct channel *);

/* The number of messages in the queue. */
size_t channel_waiting(const struct channel *);

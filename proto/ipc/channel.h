/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An end of the SEQPACKET channel between the master and a worker.
 *
 * Owns its descriptor and two watchers; borrows the loop and the events.
 *
 * The peer is not trusted.  A datagram that does not decode, is for the other
 * side, or has a wrong number of descriptors is dropped and counts as a strike.
 * CHANNEL_STRIKES strikes, or a flood of messages from a worker, close the
 * channel (on_close with -EBADMSG).
 *
 * A message that the kernel does not take at once waits in a queue.  While the
 * peer does not read, the REPLACED messages of msg.h, such as log lines and
 * statuses, are dropped (-EAGAIN).  The other messages are never dropped: a
 * full queue closes the channel with -ENOBUFS.  An owner with many messages
 * (the whole state, to a new worker) sends them while channel_is_idle() and
 * continues in on_drained, so that only a peer that does not read fills the
 * queue.
 *
 * A wake-up of the loop reads one message, so that no channel delays the
 * others.  The owner may set a batch: a wake-up then reads so many messages
 * before its loop handles any other event.  A client that connects after the
 * reply to a command thus finds what the command has changed.
 *
 * The processor time that the master spends in on_message for a worker is
 * bounded, whatever the types of the messages: above CHANNEL_COST_PERCENT of a
 * processor the next messages wait in the socket.  If the worker exceeds this
 * for CHANNEL_COST_OWED_MS, that counts as a flood.
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
	/* The channel is closed.  err: 0 if the peer closed it, else -errno.
	 * error: a sentence, or "".  No other event follows. */
	void (*on_close)(struct channel *, int err, const char *error,
			 void *arg);
	/* All messages of the queue are sent.  May be NULL.  Called from the
	 * loop; the channel may be freed inside. */
	void (*on_drained)(struct channel *, void *arg);
};

struct channel_config {
	struct ev_loop *loop;
	int fd;                 /* of the socket; the channel closes it */
	enum msg_side receives; /* direction of the messages that arrive here */
	/* Most messages that a wake-up reads before the loop handles any other
	 * event; 0: one.  Has no effect in a channel of the master. */
	unsigned batch;
	const struct channel_events *events;
	void *arg;
};

struct channel *channel_new(const struct channel_config *);

/* NULL-safe; sets *c to NULL.  Allowed inside each of the events. */
void channel_free(struct channel **);

/* Reads what a worker that has ended left in the socket: calls on_message for
 * each log line and drops the other messages.  on_message must not free the
 * channel in this call. */
void channel_take_logs(struct channel *);

/* Sends the message, or puts it into the queue.  fds: the msg_fds() descriptors
 * of the message, which stay the caller's.  0, -EMSGSIZE, -EAGAIN for a dropped
 * message, or -EPIPE: the channel is closed, or the loop will close it.
 * on_close is never called in here. */
int channel_send(struct channel *, const struct msg *, const int *fds,
		 size_t n_fds);

/* Is the channel open and its queue empty?  Then channel_send() first tries to
 * pass the next message to the kernel. */
bool channel_is_idle(const struct channel *);

/* The number of messages in the queue. */
size_t channel_waiting(const struct channel *);

/* True: messages of a worker wait in the socket, because those before them cost
 * more than they may.  NULL: false. */
bool channel_holds_back(const struct channel *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Receives datagrams from a socket, many per system call.
 *
 * Owns its receive memory: room for RECEIVER_SLOTS datagrams of full size; the
 * kernel provides a page when it is written first.  Supports UDP_GRO (one slot
 * holds several datagrams of a sender) and SO_RXQ_OVFL.
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/prefetch.h"

#include <stddef.h>
#include <stdint.h>

enum {
	RECEIVER_SLOTS = 32,
	RECEIVER_SLOT_SIZE = 65536,
};

struct iat_in;
struct receiver;

/*
 * Datagrams of `segment` bytes each; the last one may be shorter.  The bytes
 * are valid until the next receiver_read().
 */
struct received {
	const uint8_t *data;
	size_t len;
	size_t segment; /* equal to len for a single datagram */
	/* NULL: without receiver_name_senders() */
	const struct sockaddr_any *sender;
};

typedef void receiver_fn(const struct received *, void *arg);

/* Makes a receiver.  NULL with *ret_err = -errno: no memory. */
struct receiver *receiver_new(int *ret_err);
void receiver_free(struct receiver **);

/*
 * Makes one system call and calls on_received for each message of it that is
 * not empty.  Returns the number of messages, with the empty ones; 0 also if a
 * signal interrupted the call; or -errno.
 */
int receiver_read(struct receiver *, int fd, receiver_fn *on_received,
		  void *arg);

/* Notes arrivals in the iat_in, which is borrowed, from now on; the socket must
 * have time stamps (SO_TIMESTAMPNS).  NULL: stops. */
void receiver_measure(struct receiver *, struct iat_in *);

/* From now on sets received.sender of each datagram. */
void receiver_name_senders(struct receiver *);

/* Lists the memory that the next read of this many datagrams will touch. */
void receiver_warm(const struct receiver *, size_t datagrams,
		   struct prefetch *);

/* The number of datagrams that the kernel dropped because the socket was
 * full. */
uint64_t receiver_drops(const struct receiver *);

/* The sender of the first datagram of the last read; len 0: none yet. */
const struct sockaddr_any *receiver_source(const struct receiver *);

/* Call it when the next read is from another socket, whose drops the kernel
 * counts from 0. */
void receiver_moved(struct receiver *);

/* Frees memory that only an earlier burst needed; to be called once a
 * second. */
void receiver_trim(struct receiver *);

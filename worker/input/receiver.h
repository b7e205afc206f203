/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes datagrams off a socket, many per system call.
 *
 * Owns its receive memory: room for RECEIVER_SLOTS datagrams of full size, of
 * which only pages that were ever written exist.  Understands UDP_GRO (one
 * read holds several datagrams of a sender) and SO_RXQ_OVFL.
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

struct arrivals;
struct receiver;

/*
 * What one read brought: datagrams of `segment` bytes each, the last one may
 * be shorter.  The bytes stay until the next receiver_read().
 */
struct received {
	const uint8_t *data;
	size_t len;
	size_t segment; /* len when it is one datagram */
};

typedef void receiver_fn(const struct received *, void *arg);

/* NULL with *ret_err = -errno when there is no memory. */
struct receiver *receiver_new(int *ret_err);
void receiver_free(struct receiver **);

/*
 * One system call; calls on_received for each datagram it brought.  Returns
 * their number, 0 when there was none, or -errno.
 */
int receiver_read(struct receiver *, int fd, receiver_fn *on_received,
		  void *arg);

/* From now on notes when they arrive, which the socket has to tell
 * (SO_TIMESTAMPNS); NULL: no longer.  Borrowed. */
void receiver_measure(struct receiver *, struct arrivals *);

/* What the next read of `datagrams` will touch. */
void receiver_warm(const struct receiver *, size_t datagrams, struct warm *);

/* Datagrams that the socket dropped for want of room, since new. */
uint64_t receiver_drops(const struct receiver *);

/* Who sent the last batch; len 0 when nothing came yet. */
const struct sockaddr_any *receiver_source(const struct receiver *);

/* From now on it reads another socket, whose kernel counts from 0. */
void receiver_moved(struct receiver *);

/* Gives memory back that only a burst needed; call it now and then. */
void receiver_trim(struct receiver *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection of an EMM generator (ETSI TS 103 197 6): its channel, its data
 * streams and their bandwidth.
 *
 * Data above the allocated bandwidth are dropped, and so are malformed data.
 * The bandwidth is that of the packets; sections count as if they filled
 * packets, because the owner packs them.  A message with an error is answered
 * by an error message, a limited number of times; an error message is never
 * answered.  A connection that has no channel for setup_ms ends.
 *
 * Owns the connection; borrows the loop.
 */
#pragma once

#include "worker/cas/simulcrypt.h"
#include "worker/ts/packet.h"

#include <sys/queue.h>

struct emmg_client;
struct ev_loop;

enum { EMMG_STREAMS_MAX = 16, EMMG_RUN_MAX = 64 /* packets */ };

struct emmg_client_events {
	/* Returns the kbit/s of the server that no stream has yet. */
	unsigned (*left)(void *arg);
	/* Takes at most EMMG_RUN_MAX packets, of a channel that sends
	 * packets. */
	void (*on_packets)(struct ts_run, void *arg);
	/* Takes a section without pointer_field, of a channel that sends
	 * sections.  In a stream of EMMs its table_id is that of a CA message,
	 * 0x80 to 0x8f; in a stream of other data it is any but 0xff. */
	void (*on_section)(const uint8_t *section, size_t len, void *arg);
	/* The last callback; the owner frees the client in it. */
	void (*on_gone)(struct emmg_client *, const char *error, void *arg);
};

struct emmg_client_config {
	struct ev_loop *loop;
	int fd; /* descriptor of the connection, non-blocking; owned by the
		 * client */
	unsigned setup_ms; /* limit for a connection without a channel */
	const struct emmg_client_events *events;
	void *arg;
};

struct emmg_client *emmg_client_new(const struct emmg_client_config *);
void emmg_client_free(struct emmg_client **);

bool emmg_client_has_channel(const struct emmg_client *);

/* The sum of the kbit/s that were allocated to the client's streams. */
unsigned emmg_client_allocated(const struct emmg_client *);

/* Takes data that arrived in a datagram.  False: the client has no stream with
 * the client_id and data_id of the message. */
bool emmg_client_data(struct emmg_client *, const struct simulcrypt *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A connection of an EMM generator (ETSI TS 103 197 6): its channel, its data
 * streams and their bandwidth.
 *
 * Data beyond the allocated bandwidth are dropped, and so is what is malformed.
 * The bandwidth is that of packets.  Sections count as if they filled packets,
 * because their owner packs them.
 * Errors are answered, a few times; an error is never the answer to an error.
 * A connection without a channel for setup_ms ends.
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
	/* kbit/s that are not allocated. */
	unsigned (*left)(void *arg);
	/* At most EMMG_RUN_MAX packets; of a channel of packets. */
	void (*on_packets)(struct ts_run, void *arg);
	/* A section without pointer_field; of a channel of sections.  Its
	 * table_id is that of a CA message, 0x80 to 0x8f; in a stream of other
	 * data than EMMs it is any but 0xff. */
	void (*on_section)(const uint8_t *section, size_t len, void *arg);
	/* The last call; it frees the client. */
	void (*on_gone)(struct emmg_client *, const char *error, void *arg);
};

struct emmg_client_config {
	struct ev_loop *loop;
	int fd; /* taken: connected, does not block */
	unsigned setup_ms; /* for the set-up of the channel */
	const struct emmg_client_events *events;
	void *arg;
};

struct emmg_client *emmg_client_new(const struct emmg_client_config *);
void emmg_client_free(struct emmg_client **);

bool emmg_client_has_channel(const struct emmg_client *);

/* The sum of the kbit/s that are allocated to its streams. */
unsigned emmg_client_allocated(const struct emmg_client *);

/* Takes data that came in a datagram.  False: the client has no stream with the
 * numbers of the message. */
bool emmg_client_data(struct emmg_client *, const struct simulcrypt *);

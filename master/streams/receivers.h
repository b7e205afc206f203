/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receivers that connected to the listening outputs of a stream, from the
 * last report of its worker.
 *
 * Owns copies.  Pure: the caller passes the time.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>

struct receivers {
	json_t *lists[MSG_OUTPUTS_MAX]; /* sessions of an output, or NULL */
	uint64_t *clients[MSG_OUTPUTS_MAX]; /* as many, or NULL */
	uint64_t updated_ms[MSG_OUTPUTS_MAX];
};

/* The session of a receiver, whose texts it borrows. */
struct msg_session receiver_session(const char *stream,
				    const struct msg_receiver *);

/* The receivers of this output that are not in the new list of it, at most
 * MSG_RECEIVERS_MAX; returns their number. */
size_t receivers_left(const struct receivers *,
		      const struct msg_stream_receivers *, uint64_t *ret);

/* stream is its id. */
void receivers_update(struct receivers *, const char *stream,
		      const struct msg_stream_receivers *, uint64_t now_ms);

/* The worker has ended, and so have its connections. */
void receivers_clear(struct receivers *);

/* The stream has this id now. */
void receivers_rename(struct receivers *, const char *stream);

unsigned receivers_count(const struct receivers *);
bool receivers_has(const struct receivers *, uint64_t client);
/* Appends all receivers to a list of sessions. */
void receivers_list(const struct receivers *, uint64_t now_ms,
		    json_t *sessions);

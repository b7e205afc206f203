/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receivers that connected to the listening outputs of a stream, from the
 * last report of its worker.  A new master has those of the last master until
 * the worker reports.
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
	bool kept[MSG_OUTPUTS_MAX]; /* from the last master */
};

/* A worker repeats the list of receivers that stay more often. */
enum { RECEIVERS_KEPT_MS = 7000 };

/* The session of a receiver, whose texts it borrows. */
struct msg_session receiver_session(const char *stream,
				    const struct msg_receiver *);

/* The reported receivers of this output that are not in the new list of it, at
 * most MSG_RECEIVERS_MAX; returns their number. */
size_t receivers_left(const struct receivers *,
		      const struct msg_stream_receivers *, uint64_t *ret);

/* stream is its id. */
void receivers_update(struct receivers *, const char *stream,
		      const struct msg_stream_receivers *, uint64_t now_ms);

/* The worker has ended, and so have its connections. */
void receivers_clear(struct receivers *);

/* The stream has this id now. */
void receivers_rename(struct receivers *, const char *stream);

unsigned receivers_count(const struct receivers *, uint64_t now_ms);
bool receivers_has(const struct receivers *, uint64_t client);
/* Has the worker reported this receiver to this master? */
bool receivers_is_reported(const struct receivers *, uint64_t client);
/* Appends all receivers to a list of sessions. */
void receivers_list(const struct receivers *, uint64_t now_ms,
		    json_t *sessions);

/* For the next master: a new reference. */
json_t *receivers_write(const struct receivers *);
/* Takes the valid lists of the last master that its worker repeats. */
void receivers_take(struct receivers *, const char *stream, const json_t *,
		    uint64_t now_ms);

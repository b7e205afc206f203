/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receivers that connected to the listening outputs of a stream, from the
 * last report of its worker.  Until the worker reports to a new master, these
 * are the receivers that the previous master knew.
 *
 * Owns copies.  Pure: the caller passes the time.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>

struct receivers {
	json_t *lists[MSG_OUTPUTS_MAX]; /* sessions of an output; NULL: none */
	/* [i]: the client numbers of the sessions in lists[i]; NULL: none */
	uint64_t *clients[MSG_OUTPUTS_MAX];
	uint64_t updated_ms[MSG_OUTPUTS_MAX];
	bool kept[MSG_OUTPUTS_MAX]; /* lists[i] is from the last master */
};

/* Time for which the receivers of the last master are kept.  A worker repeats
 * the list of its receivers more often. */
enum { RECEIVERS_KEPT_MS = 7000 };

/* Returns the session of a receiver; it borrows the texts. */
struct msg_session receiver_session(const char *stream,
				    const struct msg_receiver *);

/* Compares the known receivers of an output with its new list: writes the
 * client numbers of those that the new list does not have to ret, at most
 * MSG_RECEIVERS_MAX, and returns how many.  Receivers of the previous master do
 * not count. */
size_t receivers_left(const struct receivers *,
		      const struct msg_stream_receivers *, uint64_t *ret);

/* Replaces the list of an output by that of its worker.  stream: id of the
 * stream. */
void receivers_update(struct receivers *, const char *stream,
		      const struct msg_stream_receivers *, uint64_t now_ms);

/* The worker has ended, and so have its connections: empties all lists. */
void receivers_clear(struct receivers *);

/* The stream was renamed to this id. */
void receivers_rename(struct receivers *, const char *stream);

unsigned receivers_count(const struct receivers *, uint64_t now_ms);
bool receivers_has(const struct receivers *, uint64_t client);
/* True: the worker has reported this receiver to this master. */
bool receivers_is_reported(const struct receivers *, uint64_t client);
/* Appends all receivers to sessions, the list of the control API. */
void receivers_list(const struct receivers *, uint64_t now_ms,
		    json_t *sessions);

/* Records the lists for the next master: a new reference. */
json_t *receivers_write(const struct receivers *);
/* Takes the valid lists from a record of the previous master.  Each is kept
 * until the worker repeats it, for RECEIVERS_KEPT_MS at most. */
void receivers_take(struct receivers *, const char *stream, const json_t *,
		    uint64_t now_ms);

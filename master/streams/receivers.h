/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who receives from the outputs of a stream that are called: what its worker
 * said last.
 *
 * Owns copies.  No loop, no clock: the caller says when.
 */
#pragma once

#include "proto/ipc/msg.h"

#include <stdbool.h>

struct receivers {
	json_t *lists[MSG_OUTPUTS_MAX]; /* of sessions; NULL: empty */
	uint64_t heard_ms[MSG_OUTPUTS_MAX];
};

/* stream is its id. */
void receivers_update(struct receivers *, const char *stream,
		      const struct msg_stream_receivers *, uint64_t now_ms);

/* The worker is gone, and they with it. */
void receivers_clear(struct receivers *);

unsigned receivers_count(const struct receivers *);
bool receivers_has(const struct receivers *, uint64_t client);
/* Appends them to a list of sessions. */
void receivers_list(const struct receivers *, uint64_t now_ms,
		    json_t *sessions);

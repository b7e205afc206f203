/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places in a queue of packets at which a decoder can start: a picture that
 * is a random access point begins there (worker/ts/rap.h).
 *
 * Pure.  Embedded; zeroed memory is ready, and follows no PID.
 */
#pragma once

#include "worker/ts/rap.h"

enum { STARTS_MAX = 16 /* further ones are ignored */ };

struct starts {
	struct rap rap;
	bool open; /* later packets decide about the one at open_at */
	uint64_t open_at;
	size_t n;
	uint64_t places[STARTS_MAX];
};

/* Follows the pictures of this video; forgets the places of another video. */
void starts_follow(struct starts *, const struct pmt_stream *);

/* Takes a packet at this place.  Places always grow. */
void starts_feed(struct starts *, const uint8_t *packet, uint64_t place);

/* Call it when the packet at this place leaves.  True: a decoder can start with
 * it. */
bool starts_take(struct starts *, uint64_t place);

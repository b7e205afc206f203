/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places in a queue of packets at which a decoder can start, because a
 * picture that is a random access point begins there (worker/ts/rap.h).  A
 * place is the number of packets that were queued before.
 *
 * Pure.  Embedded; zeroed memory is ready, and follows no PID.
 */
#pragma once

#include "worker/ts/rap.h"

enum { STARTS_MAX = 16 /* places; further ones are ignored */ };

struct starts {
	struct rap rap;
	bool open; /* a picture begins at the place open_at; later packets
		    * decide whether it is a random access point */
	uint64_t open_at;
	size_t n; /* length of the list `places' */
	uint64_t places[STARTS_MAX];
};

/* Looks for random access points in this video stream.  If it is another stream
 * than before, forgets the places. */
void starts_follow(struct starts *, const struct pmt_stream *);

/* Takes the packet at this place, which is higher than that of the last
 * packet. */
void starts_feed(struct starts *, const uint8_t *packet, uint64_t place);

/* Call it when the packet at this place leaves the queue.  True: a decoder can
 * start with this packet. */
bool starts_take(struct starts *, uint64_t place);

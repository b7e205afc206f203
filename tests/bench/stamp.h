/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mark in each video packet of the generator: which one it is and when
 * it was sent.  It is the last STAMP_LEN bytes of the TS packet.
 *
 * No byte of it is zero, so it never looks like a start code of the video.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { STAMP_LEN = 24 };

struct stamp {
	uint64_t seq;     /* of this stream's stamped packets, from 0 */
	uint64_t sent_ns; /* CLOCK_MONOTONIC, just before the send call */
};

void stamp_put(uint8_t *packet, const struct stamp *);

/* False when the packet carries no stamp. */
bool stamp_get(const uint8_t *packet, struct stamp *ret);

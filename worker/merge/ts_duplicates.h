/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the packets of one path that arrived twice because the network
 * duplicated a datagram.
 *
 * Equal bytes alone prove nothing: filler and tables repeat, and a sender may
 * send a packet twice in a row (ISO/IEC 13818-1 2.4.3.3).  A packet is a
 * duplicate when its continuity counter went back, and an equal packet arrived
 * a moment ago; filler after a loss is an exception.  Neighbours that equal the
 * neighbours of the original are duplicates as well.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* The original is searched in this many last packets. */
	TS_DUPLICATES_BACK = 512,
	/* The original is at most this old; tables repeat later. */
	TS_DUPLICATES_MS = 100,
	TS_DUPLICATES_INDEX = 2048,
};

enum ts_duplicate {
	TS_SINGLE,
	/* repeats the previous packet of its PID, perhaps with another PCR: the
	 * sender may have sent it twice */
	TS_REPEATED,
	TS_DUPLICATE,
	TS_DAMAGED, /* has transport_error_indicator: any field may be wrong */
};

struct ts_noted {
	uint64_t hash;
	uint32_t at_ms; /* arrival, wraps */
	uint16_t pid;
};

struct ts_duplicates {
	struct ts_noted noted[TS_DUPLICATES_BACK];
	/* Numbers of the last packets, indexed by some bits of their hash. */
	uint16_t index[TS_DUPLICATES_INDEX];
	uint64_t n; /* packets noted; packets are numbered from 0 */
	uint64_t oldest; /* number of the oldest packet that is searched */
	/* number of the packet after the original of the last duplicate; 0: the
	 * last packet was no duplicate */
	uint64_t copy;
	/* duplicates directly in front of the last packet */
	unsigned before;
	/* gaps in the continuity counters; ts_merge.c halves it each second */
	uint32_t breaks;
	uint8_t cc[TS_PIDS]; /* last continuity counter; bit 7: it is known */
};

static inline size_t ts_duplicates_slot(uint64_t hash)
{
	return (hash >> 20) % TS_DUPLICATES_INDEX;
}

/* Are all bytes of the payload equal, as in stuffing? */
bool ts_is_filler(const uint8_t *packet);

/* Prefetches for a packet that is noted soon. */
static inline void ts_duplicates_expect(const struct ts_duplicates *d,
					uint64_t hash)
{
	__builtin_prefetch(&d->index[ts_duplicates_slot(hash)], 1);
}

/* Takes the next packet of the path.  When it is a duplicate, so are the
 * `before` packets in front of it, which passed as single or repeated. */
enum ts_duplicate ts_duplicates_note(struct ts_duplicates *,
				     const uint8_t *packet, uint64_t hash,
				     uint32_t now_ms);

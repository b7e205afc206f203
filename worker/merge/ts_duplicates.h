/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells which packets of one path are there for the second time because the
 * network doubled a datagram.
 *
 * The same bytes alone are no sign: filler and tables come again with the
 * counter they had, and one packet in a row may be sent twice on purpose
 * (ISO/IEC 13818-1 2.4.3.3).  A counter that went back to the bytes of a moment
 * ago is one, but for filler behind a loss; and so are the neighbours of such a
 * packet that are the neighbours of its first copy.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	/* A copy is looked for among so many packets ... */
	TS_DOUBLES_BACK = 512,
	/* ... of so long; a table comes again later. */
	TS_DOUBLES_MS = 100,
	TS_DOUBLES_INDEX = 2048,
};

enum ts_double {
	TS_SINGLE,
	TS_REPEATED, /* may be meant: twice the same in a row */
	TS_DOUBLED,
};

struct ts_doubles_one {
	uint64_t hash;
	uint32_t at_ms;
	uint16_t pid;
};

struct ts_doubles {
	struct ts_doubles_one one[TS_DOUBLES_BACK];
	/* By some bits of its number: the last with these. */
	uint16_t index[TS_DOUBLES_INDEX];
	uint64_t n; /* that were noted */
	uint64_t oldest; /* that is looked at */
	uint64_t copy; /* behind that of the last, while it is doubled */
	unsigned before; /* those in front of the last are doubled, too */
	uint32_t breaks; /* of counters, for other reasons */
	uint8_t cc[TS_PIDS]; /* the last, and a bit once there was one */
};

static inline size_t ts_doubles_slot(uint64_t hash)
{
	return (hash >> 20) % TS_DOUBLES_INDEX;
}

/* Stuffing of a video or a PES: its bytes are all the same. */
bool ts_is_filler(const uint8_t *packet);

/* This one is noted soon: calls for the memory. */
static inline void ts_doubles_expect(const struct ts_doubles *d, uint64_t hash)
{
	__builtin_prefetch(&d->index[ts_doubles_slot(hash)], 1);
}

/* The next of its path; `before` packets in front of it, which were taken for
 * single or repeated ones, are doubled when it is. */
enum ts_double ts_doubles_note(struct ts_doubles *, const uint8_t *packet,
			       uint64_t hash, uint32_t now_ms);

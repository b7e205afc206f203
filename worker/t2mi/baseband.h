/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the transport packets out of the baseband frames of a PLP (ETSI EN 302
 * 755 5.1): normal and high efficiency mode, with deleted null packets.
 *
 * A frame with a wrong header, or of another format than a transport stream, is
 * dropped and counted.  So is a packet whose other part is in a lost frame.  In
 * normal mode, a packet with a wrong CRC-8 has its transport_error_indicator
 * set.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	BASEBAND_HEADER = 10, /* bytes */
	BASEBAND_BATCH = 64, /* packets that are passed at once */
	/* Null packets that are restored for a packet on average, and at
	 * once.  Further ones are left out, so that a hostile source cannot
	 * multiply its rate. */
	BASEBAND_NULLS = 32,
	BASEBAND_NULLS_AT_ONCE = 2048,
};

struct baseband_counts {
	uint32_t frames, header_errors, other_formats, lost_packets,
		wrong_packets;
};

/* Embedded. */
struct baseband {
	ts_out_fn *out;
	void *arg;
	struct baseband_counts counts;
	/* the packet that continues in the next frame, as it is transmitted */
	uint8_t unit[TS_PACKET + 4];
	size_t have, unit_size; /* its bytes; 0: no frame was received yet */
	bool high_efficiency, deletes_nulls;
	size_t issy; /* bytes behind a packet in normal mode */
	unsigned nulls; /* that may be restored */
	bool held; /* the last packet of the batch waits for its CRC-8 ... */
	uint8_t held_crc; /* ... which is this one if the packet is correct */
	size_t n;
	uint8_t packets[BASEBAND_BATCH][TS_PACKET];
};

/* out: receives the packets, borrowed for the call. */
void baseband_init(struct baseband *, ts_out_fn *out, void *arg);

/* Takes a frame, which begins with its header. */
void baseband_feed(struct baseband *, const uint8_t *frame, size_t len);

/* Notes that a frame was lost, and drops the incomplete packet. */
void baseband_lost(struct baseband *);

/* Passes the collected packets on. */
void baseband_flush(struct baseband *);

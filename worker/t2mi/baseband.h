/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the transport packets out of the baseband frames of a PLP (ETSI EN 302
 * 755 5.1): normal and high efficiency mode, with deleted null packets.
 *
 * A frame with a wrong header, or of another format than a transport stream, is
 * dropped and counted, and so is a packet of which a part was in a lost frame.
 * In normal mode, transport_error_indicator is set in a packet with a wrong
 * CRC-8.
 */
#pragma once

#include "worker/ts/packet.h"

enum {
	BASEBAND_HEADER = 10, /* bytes */
	BASEBAND_BATCH = 64, /* packets that are passed at once */
	/* Deleted null packets that are restored: at most BASEBAND_NULLS for
	 * each other packet on average, and BASEBAND_NULLS_AT_ONCE in a row.
	 * Further null packets are dropped, so that a hostile source cannot
	 * multiply its rate. */
	BASEBAND_NULLS = 32,
	BASEBAND_NULLS_AT_ONCE = 2048,
};

struct baseband_counts {
	/* frames: all frames of the PLP; header_errors: frames with a wrong
	 * header; other_formats: frames that carry no transport stream;
	 * lost_packets: packets of which a part was lost; wrong_packets:
	 * packets with a wrong CRC-8 */
	uint32_t frames, header_errors, other_formats, lost_packets,
		wrong_packets;
};

/* Embedded. */
struct baseband {
	ts_out_fn *out;
	void *arg;
	struct baseband_counts counts;
	/* A unit is a packet as the frames transmit it, with CRC-8, ISSY and
	 * the count of deleted null packets, as far as the mode has them. */
	uint8_t unit[TS_PACKET + 4];
	/* have: bytes of the incomplete unit; unit_size: bytes of a whole one;
	 * 0: no frame was received yet */
	size_t have, unit_size;
	bool high_efficiency, deletes_nulls; /* mode of the last frame */
	size_t issy; /* bytes of ISSY behind a packet in normal mode */
	unsigned nulls; /* null packets that may still be restored */
	bool held; /* the last one of packets waits for its CRC-8 */
	uint8_t held_crc; /* computed CRC-8 of the last one of packets */
	size_t n; /* packets in packets */
	uint8_t packets[BASEBAND_BATCH][TS_PACKET];
};

/* out: receives the packets, borrowed for the call. */
void baseband_init(struct baseband *, ts_out_fn *out, void *arg);

/* Takes a frame, from its header on. */
void baseband_feed(struct baseband *, const uint8_t *frame, size_t len);

/* Notes that a frame was lost, and drops the incomplete packet. */
void baseband_lost(struct baseband *);

/* Passes the collected packets to out(), except a packet that waits for its
 * CRC-8. */
void baseband_flush(struct baseband *);

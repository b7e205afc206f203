/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * RTP on the receiving side (RFC 3550, RFC 2250): header off, gaps counted.
 *
 * Pure: no I/O, no clock.
 */
#pragma once

#include "common/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RTP_HEADER = 12, /* without CSRC list and extension */
	RTP_PAYLOAD_MP2T = 33,
	RTP_CLOCK_HZ = 90000,

	/* RFC 3550 A.1: a jump further on than this is no loss but another
	 * count; one further back no late datagram. */
	RTP_DROPOUT_MAX = 3000,
	RTP_MISORDER_MAX = 100,
};

struct rtp_datagram {
	uint16_t seq;
	uint32_t timestamp;
	uint32_t ssrc;
	uint8_t payload_type;
	const uint8_t *payload; /* borrows the datagram */
	size_t len;
};

/* 0, or -EBADMSG: too short, another version, or a header, extension or
 * padding that claims more than the datagram holds. */
int rtp_parse(const uint8_t *data, size_t len,
	      struct rtp_datagram *ret) MUST_CHECK;

/* Embedded; zeroed memory is ready. */
struct rtp_sequence {
	bool started;
	uint16_t next; /* expected */
	uint32_t ssrc;
	uint64_t lost; /* datagrams that did not come in their turn */
};

/*
 * Judges the next datagram.  False for one that is late or comes twice: its
 * place in the stream has passed, so it is to be dropped; it is not counted.
 * A new SSRC or a wide jump begins another count and is no loss.
 */
bool rtp_sequence_feed(struct rtp_sequence *, const struct rtp_datagram *);

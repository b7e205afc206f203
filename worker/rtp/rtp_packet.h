/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks and decodes the header of an RTP datagram (RFC 3550, RFC 2250).
 *
 * Pure: no I/O, no clock.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RTP_HEADER = 12, /* bytes without CSRC list and extension */
	RTCP_HEADER = 4, /* bytes */
	RTP_PAYLOAD_MP2T = 33,
	RTP_PAYLOAD_DYNAMIC = 96, /* the first dynamic type; 127 is the last */
	RTP_CLOCK_HZ = 90000,
};

struct rtp_datagram {
	uint16_t seq;
	uint32_t timestamp;
	uint32_t ssrc;
	uint8_t payload_type;
	const uint8_t *payload; /* points into the datagram */
	size_t len;             /* bytes of the payload */
	const uint8_t *data;    /* the whole datagram */
	size_t size;            /* bytes of the datagram */
};

/* Reads the header of an RTP datagram.  0, or -EBADMSG: too short, another
 * version, or a header, extension or padding that is longer than the
 * datagram. */
int rtp_parse(const uint8_t *data, size_t len,
	      struct rtp_datagram *ret) MUST_CHECK;

/* True if the datagram may carry TS packets: it has payload type 33, or a
 * dynamic one. */
static inline bool rtp_is_media(const struct rtp_datagram *d)
{
	return d->payload_type == RTP_PAYLOAD_MP2T ||
	       d->payload_type >= RTP_PAYLOAD_DYNAMIC;
}

/* True if a datagram on the port of the media is RTCP: it has 192 to 223 in the
 * byte of marker bit and payload type (RFC 5761 4). */
static inline bool rtp_is_rtcp(const uint8_t *data, size_t len)
{
	return len >= RTCP_HEADER && data[0] >> 6 == 2 && data[1] >= 192 &&
	       data[1] <= 223;
}

static inline uint16_t rtp_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t rtp_get32(const uint8_t *p)
{
	return (uint32_t)rtp_get16(p) << 16 | rtp_get16(p + 2);
}

static inline void rtp_put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static inline void rtp_put32(uint8_t *p, uint32_t v)
{
	rtp_put16(p, (uint16_t)(v >> 16));
	rtp_put16(p + 2, (uint16_t)v);
}

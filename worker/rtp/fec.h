/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FEC datagrams (SMPTE 2022-1, Pro-MPEG CoP #3): each is the XOR of the RTP
 * datagrams of a row or a column of a matrix, which sequence numbers fill line
 * by line.
 *
 *	RTP header | first number, length, type, time, step, count | body
 *
 * The body covers the bytes of each datagram after the twelve fixed bytes of
 * its header; shorter datagrams are padded with zeroes.  Pure.
 */
#pragma once

#include "worker/rtp/rtp_packet.h"

#include <string.h>

enum {
	FEC_HEADER = 16, /* behind the RTP header */
	FEC_HEAD = RTP_HEADER + FEC_HEADER,
	FEC_PAYLOAD_TYPE = 96,
	/* Limits of an accepted matrix.  The standard allows less, but some
	 * encoders send larger matrices. */
	FEC_TAKEN_SIDE_MAX = 50,
	FEC_TAKEN_MATRIX_MAX = 400,
	/* Added to the UDP port of the media. */
	FEC_COLUMN_PORT = 2,
	FEC_ROW_PORT = 4,
};

struct fec_packet {
	bool row;
	uint16_t first; /* sequence number of the first datagram */
	uint8_t step;   /* difference of two sequence numbers; 1 in a row */
	uint8_t n;      /* number of datagrams */
	/* XORs of the fields of the datagrams */
	uint8_t flags;        /* padding, extension, CSRC count */
	uint8_t payload_type; /* payload type and marker bit */
	uint16_t len;         /* XOR of the lengths of the bodies */
	uint32_t timestamp;
	const uint8_t *body;  /* points into the datagram */
	size_t body_len;      /* length of the longest body */
};

/* Reads an FEC datagram.  0, or -EBADMSG: too short, another scheme, or an
 * impossible matrix. */
int fec_parse(const uint8_t *data, size_t len,
	      struct fec_packet *ret) MUST_CHECK;

/* Writes both headers, FEC_HEAD bytes; seq and stamp are those of the FEC
 * datagram itself. */
void fec_write(const struct fec_packet *, uint16_t seq, uint32_t stamp,
	       uint8_t *ret);

static inline uint16_t fec_seq(const struct fec_packet *f, unsigned i)
{
	return (uint16_t)(f->first + i * f->step);
}

typedef uint64_t fec_word __attribute__((vector_size(32)));

/* XORs `from` into `to`, in vector registers where the processor has them. */
static inline void fec_xor(uint8_t *to, const uint8_t *from, size_t len)
{
	fec_word a, b;

	for (; len >= sizeof a; len -= sizeof a) {
		memcpy(&a, to, sizeof a);
		memcpy(&b, from, sizeof b);
		a ^= b;
		memcpy(to, &a, sizeof a);
		to += sizeof a;
		from += sizeof a;
	}
	while (len-- > 0)
		*to++ ^= *from++;
}

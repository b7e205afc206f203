/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads and writes FEC datagrams (SMPTE 2022-1, Pro-MPEG CoP #3).  Each is the
 * XOR of the RTP datagrams of a row or a column of a matrix.  The datagrams
 * fill the matrix row by row in the order of their sequence numbers.
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
	FEC_HEADER = 16, /* bytes behind the RTP header */
	FEC_HEAD = RTP_HEADER + FEC_HEADER,
	FEC_PAYLOAD_TYPE = 96,
	/* The largest accepted matrix: datagrams of a row or a column, and of
	 * the matrix.  The standard allows less, but some encoders send larger
	 * matrices. */
	FEC_TAKEN_SIDE_MAX = 50,
	FEC_TAKEN_MATRIX_MAX = 400,
	/* Columns and rows are sent to the UDP port of the media plus this
	 * number. */
	FEC_COLUMN_PORT = 2,
	FEC_ROW_PORT = 4,
};

struct fec_packet {
	bool row;       /* false: a column */
	uint16_t first; /* sequence number of the first datagram */
	uint8_t step;   /* difference of successive numbers; 1 in a row */
	uint8_t n;      /* number of datagrams */
	/* --- each of these is the XOR of a field of the datagrams --- */
	uint8_t flags;        /* padding, extension, CSRC count */
	uint8_t payload_type; /* payload type and marker bit */
	uint16_t len;         /* length of the body */
	uint32_t timestamp;
	/* --- */
	const uint8_t *body;  /* points into the datagram */
	size_t body_len;      /* length of the longest body */
};

/* Reads an FEC datagram.  0, or -EBADMSG: too short, another scheme, or an
 * impossible matrix. */
int fec_parse(const uint8_t *data, size_t len,
	      struct fec_packet *ret) MUST_CHECK;

/* Writes RTP header and FEC header, FEC_HEAD bytes.  seq and stamp: sequence
 * number and time stamp of the FEC datagram itself. */
void fec_write(const struct fec_packet *, uint16_t seq, uint32_t stamp,
	       uint8_t *ret);

/* The sequence number of datagram i of the row or column. */
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

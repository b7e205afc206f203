/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One way on which RTP arrives: its media, and beside it rows and columns of
 * SMPTE 2022-1 when they are wanted.
 *
 * Owns its sockets.  What was closed by an error is opened again by itself, in
 * growing distances; the media go on without rows and columns.  Embedded.
 */
#pragma once

#include "worker/input/udp_flow.h"
#include "worker/socket/retry.h"

struct rtp_leg {
	struct udp_flow media, columns, rows;
	bool fec;
	bool open;
	struct retry retry, fec_retry;
	uint64_t drops; /* of sockets that were closed */
	struct errmsg why; /* it is not open */
	struct errmsg fec_why; /* rows and columns are not; "" when they are */
};

void rtp_leg_init(struct rtp_leg *, const struct input_spec *);
int rtp_leg_open(struct rtp_leg *, uint64_t now_ns) MUST_CHECK;
void rtp_leg_close(struct rtp_leg *);

/* Reads its media; the number of reads, 0 when it is closed, or -errno: it was
 * closed, see why. */
int rtp_leg_read(struct rtp_leg *, const struct udp_reader *media,
		 uint64_t now_ns) MUST_CHECK;

/* Reads its rows and columns, when it has them. */
void rtp_leg_read_fec(struct rtp_leg *, const struct udp_reader *fec,
		      uint64_t now_ns);

/* Once a second.  0 or -errno: it is closed, see why. */
int rtp_leg_second(struct rtp_leg *, uint64_t now_ns) MUST_CHECK;

/* What is wrong with it; NULL: nothing. */
const char *rtp_leg_trouble(const struct rtp_leg *);

/* Datagrams that there was no room for. */
uint64_t rtp_leg_drops(const struct rtp_leg *);

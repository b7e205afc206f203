/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts runs into datagrams without copying a packet: an iovec list, with an
 * RTP header in front of each datagram when it is wanted.
 *
 * Pure.  Embedded; borrows the runs.
 */
#pragma once

#include "worker/rtp/rtp_clock.h"
#include "worker/ts/packet.h"

#include <sys/uio.h>

enum {
	/* What one UDP_SEGMENT call takes: the payload of all of them must
	 * fit one IP packet of 65,535 bytes. */
	DATAGRAMS_MAX = 49,
	DATAGRAMS_IOV = 128,
	DATAGRAM_IOV_MAX = DATAGRAM_PACKETS + 1,
	RTP_HEADER_SIZE = 12,
};

struct rtp_sender {
	uint16_t seq;
	uint32_t ssrc;
	struct rtp_clock clock;
	uint64_t now_ns; /* when the datagrams are cut */
};

/* The datagrams of one system call. */
struct datagrams {
	size_t n;         /* datagrams */
	size_t n_packets; /* TS packets in them */
	size_t n_iov;
	struct iovec iov[DATAGRAMS_IOV];
	uint8_t first[DATAGRAMS_MAX + 1]; /* index of each one's first iovec */
	uint8_t headers[DATAGRAMS_MAX][RTP_HEADER_SIZE];
};

/* Where the next datagram begins in a list of runs. */
struct run_cursor {
	const struct ts_run *runs;
	size_t n_runs;
	size_t done; /* packets of runs[0] */
};

/*
 * Fills d from the cursor, until one of its bounds is met or the runs are used
 * up; false when there was nothing left.  rtp NULL: bare packets.
 */
bool datagrams_cut(struct datagrams *d, struct run_cursor *,
		   struct rtp_sender *rtp);

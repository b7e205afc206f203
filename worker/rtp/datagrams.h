/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts runs of TS packets into datagrams without a copy: as a list of iovecs,
 * with an RTP header in front of each datagram, and with 16 bytes of zero
 * behind each packet (packets of 204 bytes), on request.
 *
 * Pure.  Embedded; borrows the runs.
 */
#pragma once

#include "worker/rtp/rtp_clock.h"
#include "worker/ts/packet.h"

#include <sys/uio.h>

enum {
	/* UDP_SEGMENT: all payloads of a call must fit one IP packet of 65,535
	 * bytes. */
	DATAGRAMS_MAX = 49,
	DATAGRAMS_IOV = 128,
	DATAGRAM_IOV_MAX = 2 * DATAGRAM_PACKETS + 1,
	RTP_HEADER_SIZE = 12,
	/* bytes behind a packet of 204 bytes */
	DATAGRAM_TRAILER = 16,
	DATAGRAM_SIZE_MAX = RTP_HEADER_SIZE +
			    DATAGRAM_PACKETS * (TS_PACKET + DATAGRAM_TRAILER),
};

struct rtp_sender {
	uint16_t seq;
	uint32_t ssrc;
	struct rtp_clock clock;
	uint64_t now_ns; /* time at which the datagrams are cut */
};

/*
 * The place of an rtp output in its sequence.  An output that replaces it, in
 * this worker or in the next one, continues there.  Lies in the memory of the
 * stream: without pointers, zeroed while unused, and valid with any content, so
 * that damaged memory does no harm.
 */
struct rtp_state {
	uint64_t address; /* hash of the output's address; 0: unused */
	uint64_t ticks;   /* 27 MHz ticks of a packet that leaves in time ... */
	uint64_t at_ns;   /* ... at this time; 0: none sent yet */
	uint32_t ssrc;
	uint16_t seq;     /* sequence number of the next datagram */
	uint16_t queue;   /* the number of its queue; 0: none */
};

/* The datagrams of one system call. */
struct datagrams {
	size_t n;         /* datagrams */
	size_t n_packets; /* TS packets in them */
	size_t n_iov;
	struct iovec iov[DATAGRAMS_IOV];
	/* index of the first iovec of each datagram, and of their end */
	uint8_t first[DATAGRAMS_MAX + 1];
	uint8_t headers[DATAGRAMS_MAX][RTP_HEADER_SIZE];
};

/* Where the next datagram begins in a list of runs. */
struct run_cursor {
	const struct ts_run *runs;
	size_t n_runs;
	size_t done; /* packets of runs[0] */
	bool trailers; /* packets of 204 bytes */
};

/*
 * Fills d from the cursor, up to its bounds or the end of the runs; false when
 * no packet was left.  rtp NULL: without RTP headers.
 */
bool datagrams_cut(struct datagrams *d, struct run_cursor *,
		   struct rtp_sender *rtp);

/* Returns datagram i in one piece: in place, or copied into buf. */
const uint8_t *datagram_gather(const struct datagrams *d, size_t i,
			       uint8_t buf[DATAGRAM_SIZE_MAX],
			       size_t *ret_len);

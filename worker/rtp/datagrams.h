/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts runs of TS packets into datagrams without a copy: as a list of iovecs.
 * On request each datagram begins with an RTP header, and each packet has 16
 * zero bytes behind it (packets of 204 bytes).
 *
 * Pure.  Embedded; borrows the runs.
 */
#pragma once

#include "worker/rtp/rtp_clock.h"
#include "worker/ts/packet.h"

#include <sys/uio.h>

enum {
	/* The most datagrams of a system call: with UDP_SEGMENT all payloads of
	 * a call must fit one IP packet of 65,535 bytes. */
	DATAGRAMS_MAX = 49,
	DATAGRAMS_IOV = 128, /* iovecs of a system call */
	/* the most iovecs of a datagram: its header, and two for each packet */
	DATAGRAM_IOV_MAX = 2 * DATAGRAM_PACKETS + 1,
	RTP_HEADER_SIZE = 12,
	/* bytes behind the 188 bytes of a packet of 204 bytes */
	DATAGRAM_TRAILER = 16,
	DATAGRAM_SIZE_MAX = RTP_HEADER_SIZE +
			    DATAGRAM_PACKETS * (TS_PACKET + DATAGRAM_TRAILER),
};

struct rtp_sender {
	uint16_t seq; /* sequence number of the next datagram */
	uint32_t ssrc;
	struct rtp_clock clock;
	uint64_t now_ns; /* time at which the datagrams are cut */
};

/*
 * The position of an rtp output in its sequence of datagrams.  An output that
 * replaces it, in this worker or in the next one, continues from there.  The
 * struct lies in the memory of the stream: it has no pointers, is zeroed while
 * unused, and any content is valid, so that damaged memory does no harm.
 */
struct rtp_state {
	uint64_t address; /* hash of the output's address; 0: unused */
	uint64_t ticks;   /* 27 MHz: time stamp of a packet that left in time */
	uint64_t at_ns;   /* when the packet of ticks left; 0: none sent yet */
	uint32_t ssrc;
	uint16_t seq;     /* sequence number of the next datagram */
	/* number of the output's queue in the memory of the stream; 0: none */
	uint16_t queue;
};

/* The datagrams of one system call. */
struct datagrams {
	size_t n;         /* number of datagrams */
	size_t n_packets; /* number of TS packets in the datagrams */
	size_t n_iov;     /* number of entries of iov */
	struct iovec iov[DATAGRAMS_IOV];
	/* index in iov of the first entry of each datagram; first[n]: the index
	 * behind the last datagram */
	uint8_t first[DATAGRAMS_MAX + 1];
	uint8_t headers[DATAGRAMS_MAX][RTP_HEADER_SIZE];
};

/* The position in a list of runs at which the next datagram begins. */
struct run_cursor {
	const struct ts_run *runs;
	size_t n_runs;
	size_t done; /* packets of runs[0] that are in datagrams already */
	bool trailers; /* each packet gets DATAGRAM_TRAILER zero bytes */
};

/*
 * Fills d with packets from the cursor on, until d is full or the runs end.
 * False: no packet was left.  rtp NULL: the datagrams have no RTP headers.
 */
bool datagrams_cut(struct datagrams *d, struct run_cursor *,
		   struct rtp_sender *rtp);

/* Returns datagram i as contiguous bytes: in place if it has one iovec,
 * otherwise copied into buf. */
const uint8_t *datagram_gather(const struct datagrams *d, size_t i,
			       uint8_t buf[DATAGRAM_SIZE_MAX],
			       size_t *ret_len);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which count of sequence numbers is followed, when datagrams of another one
 * come: a sender that started again, another sender, or nonsense.
 *
 * A strange datagram is kept aside; when the next of its path goes on from it
 * (RFC 3550 A.1) its count is followed from now on.  A count that was left is
 * not taken up again while the one that replaced it is heard: neither late
 * datagrams nor two senders on one address make the stream jump to and fro.
 *
 * Of two paths one may go over to another count alone: what the other still
 * brings is stayed with.  When both go over, it is by the one that has less of
 * the new count: the other has brought too much that nobody followed.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/rtp/rtp_packet.h"

enum {
	RTP_PATHS = 2,
	RTP_LIVE_MS = 1000, /* a count or path not heard for so long is dead */
};

struct rtp_mark {
	bool set;
	uint32_t ssrc;
	uint16_t seq;
	uint64_t since_ns; /* when the first of what is strange came */
};

struct rtp_flow {
	bool started;
	uint32_t ssrc;
	uint64_t heard_ns;
	struct rtp_mark left;
	uint64_t path_heard_ns[RTP_PATHS]; /* of this count; 0: never */
	struct rtp_mark strange[RTP_PATHS];
};

enum rtp_verdict {
	RTP_IGNORE,  /* not worth anything */
	RTP_PUT_BY,  /* the first of another count, maybe */
	RTP_FOLLOW,  /* goes on from the one put by: follow both */
};

bool rtp_flow_is_live(const struct rtp_flow *, uint64_t now_ns);

/* A datagram of our count came. */
static inline void rtp_flow_heard(struct rtp_flow *f, unsigned path,
				  uint64_t now_ns)
{
	f->heard_ns = f->path_heard_ns[path] = now_ns;
	f->strange[path].set = false;
}

/* One that is not of our count. */
enum rtp_verdict rtp_flow_judge(struct rtp_flow *,
				const struct rtp_datagram *, unsigned path,
				uint64_t now_ns);

/* From now on the count of d is ours; `last` was the newest of the one left. */
void rtp_flow_follow(struct rtp_flow *, const struct rtp_datagram *d,
		     uint16_t last, uint64_t now_ns);

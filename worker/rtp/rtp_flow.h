/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides which sequence of RTP datagrams is followed when a datagram of
 * another sequence arrives: the sender restarted, another sender began, or the
 * datagram is garbage.
 *
 * A datagram of another sequence is kept as a candidate.  If the next datagram
 * of its path continues it (RFC 3550 A.1), the stream follows that sequence
 * from the candidate on.  The previous sequence is ignored while the new one is
 * live.  So neither late datagrams nor two senders on one address make the
 * stream alternate.
 *
 * With two paths, the switch waits while the other path still delivers the
 * sequence that is followed.  When both paths switch, the path that is behind
 * in the new sequence decides: it still delivers the datagrams that the path
 * ahead delivered before the switch.
 *
 * Pure.  Embedded; zeroed memory is ready.
 */
#pragma once

#include "worker/rtp/rtp_packet.h"

enum {
	RTP_PATHS = 2,
	RTP_LIVE_MS = 1000, /* a sequence or path silent for longer is dead */
};

/* A position in a sequence. */
struct rtp_mark {
	bool set;
	uint32_t ssrc;
	uint16_t seq;
	uint64_t since_ns; /* arrival of the sequence's first datagram */
};

struct rtp_flow {
	bool started;         /* a sequence is followed */
	uint32_t ssrc;        /* SSRC of the followed sequence */
	/* arrival of the last datagram of the followed sequence on any path */
	uint64_t received_ns;
	struct rtp_mark left; /* last position of the previous sequence */
	/* arrival of the last datagram of the followed sequence on each path;
	 * 0: none yet */
	uint64_t path_received_ns[RTP_PATHS];
	/* the candidate for another sequence on each path */
	struct rtp_mark foreign[RTP_PATHS];
};

enum rtp_verdict {
	RTP_IGNORE,
	RTP_CANDIDATE, /* may be the first datagram of another sequence */
	RTP_FOLLOW,    /* continues the candidate: the caller follows the
			* sequence, from the candidate on */
};

bool rtp_flow_is_live(const struct rtp_flow *, uint64_t now_ns);

/* Notes that a datagram of the followed sequence arrived. */
static inline void rtp_flow_note(struct rtp_flow *f, unsigned path,
				 uint64_t now_ns)
{
	f->received_ns = f->path_received_ns[path] = now_ns;
	f->foreign[path].set = false;
}

/* Judges a datagram of another sequence. */
enum rtp_verdict rtp_flow_judge(struct rtp_flow *,
				const struct rtp_datagram *, unsigned path,
				uint64_t now_ns);

/* Follows the sequence of d; `last` is the newest number of the previous
 * sequence. */
void rtp_flow_follow(struct rtp_flow *, const struct rtp_datagram *d,
		     uint16_t last, uint64_t now_ns);

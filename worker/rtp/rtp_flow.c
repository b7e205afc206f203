/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_flow.h"

#include "common/base/units.h"

#define LIVE_NS (RTP_LIVE_MS * MS)

/* A sequence number that differs by more from the last one belongs to another
 * sequence. */
enum { NEAR = 8192 };

static bool is_of(const struct rtp_mark *m, const struct rtp_datagram *d)
{
	int16_t ahead = (int16_t)(d->seq - m->seq);

	return m->set && m->ssrc == d->ssrc && ahead > -NEAR && ahead < NEAR;
}

bool rtp_flow_is_live(const struct rtp_flow *f, uint64_t now_ns)
{
	return f->started && now_ns - f->received_ns < LIVE_NS;
}

/* True if a switch must wait, because the other path still delivers the
 * followed sequence, or is behind this path in the new sequence. */
static bool waits_for_other(const struct rtp_flow *f,
			    const struct rtp_datagram *d, unsigned path,
			    uint64_t now_ns)
{
	const struct rtp_mark *other = &f->foreign[!path];
	uint64_t received_ns = f->path_received_ns[!path];

	if (!other->set)
		return received_ns != 0 && now_ns - received_ns < LIVE_NS;
	return is_of(other, d) && (int16_t)(d->seq - other->seq) > 1 &&
	       now_ns - other->since_ns < LIVE_NS;
}

enum rtp_verdict rtp_flow_judge(struct rtp_flow *f,
				const struct rtp_datagram *d, unsigned path,
				uint64_t now_ns)
{
	struct rtp_mark *foreign = &f->foreign[path];
	bool next = foreign->set && foreign->ssrc == d->ssrc &&
		    (uint16_t)(foreign->seq + 1) == d->seq;

	if (is_of(&f->left, d) && rtp_flow_is_live(f, now_ns)) {
		f->left.seq = d->seq;
		return RTP_IGNORE;
	}
	if (!is_of(foreign, d))
		foreign->since_ns = now_ns;
	foreign->set = true;
	foreign->ssrc = d->ssrc;
	foreign->seq = d->seq;
	return next && !waits_for_other(f, d, path, now_ns) ? RTP_FOLLOW
							    : RTP_CANDIDATE;
}

void rtp_flow_follow(struct rtp_flow *f, const struct rtp_datagram *d,
		     uint16_t last, uint64_t now_ns)
{
	f->left = (struct rtp_mark){ .set = f->started, .ssrc = f->ssrc,
				     .seq = last };
	f->started = true;
	f->ssrc = d->ssrc;
	f->received_ns = now_ns;
	for (unsigned i = 0; i < RTP_PATHS; i++) {
		f->foreign[i].set = false;
		f->path_received_ns[i] = 0;
	}
}

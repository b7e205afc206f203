/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_flow.h"

#include "common/base/units.h"

#define LIVE_NS (RTP_LIVE_MS * MS)

/* How far a number may be from the last one of its count. */
enum { NEAR = 8192 };

static bool is_of(const struct rtp_mark *m, const struct rtp_datagram *d)
{
	int16_t ahead = (int16_t)(d->seq - m->seq);

	return m->set && m->ssrc == d->ssrc && ahead > -NEAR && ahead < NEAR;
}

bool rtp_flow_is_live(const struct rtp_flow *f, uint64_t now_ns)
{
	return f->started && now_ns - f->heard_ns < LIVE_NS;
}

/* Would the other path, by what it brought last, rather not go there now? */
static bool is_held_back(const struct rtp_flow *f,
			 const struct rtp_datagram *d, unsigned path,
			 uint64_t now_ns)
{
	const struct rtp_mark *other = &f->strange[!path];
	uint64_t heard_ns = f->path_heard_ns[!path];

	if (!other->set)
		return heard_ns != 0 && now_ns - heard_ns < LIVE_NS;
	return is_of(other, d) && (int16_t)(d->seq - other->seq) > 1 &&
	       now_ns - other->since_ns < LIVE_NS;
}

enum rtp_verdict rtp_flow_judge(struct rtp_flow *f,
				const struct rtp_datagram *d, unsigned path,
				uint64_t now_ns)
{
	struct rtp_mark *strange = &f->strange[path];
	bool next = strange->set && strange->ssrc == d->ssrc &&
		    (uint16_t)(strange->seq + 1) == d->seq;

	if (is_of(&f->left, d) && rtp_flow_is_live(f, now_ns)) {
		f->left.seq = d->seq;
		return RTP_IGNORE;
	}
	if (!is_of(strange, d))
		strange->since_ns = now_ns;
	strange->set = true;
	strange->ssrc = d->ssrc;
	strange->seq = d->seq;
	return next && !is_held_back(f, d, path, now_ns) ? RTP_FOLLOW
							 : RTP_PUT_BY;
}

void rtp_flow_follow(struct rtp_flow *f, const struct rtp_datagram *d,
		     uint16_t last, uint64_t now_ns)
{
	f->left = (struct rtp_mark){ .set = f->started, .ssrc = f->ssrc,
				     .seq = last };
	f->started = true;
	f->ssrc = d->ssrc;
	f->heard_ns = now_ns;
	for (unsigned i = 0; i < RTP_PATHS; i++) {
		f->strange[i].set = false;
		f->path_heard_ns[i] = 0;
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of pictures for a segmenter. */
#pragma once

#include "common/base/units.h"
#include "worker/output/segmenter.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#define WALL_MS INT64_C(1800000000123)

enum { BYTES_MAX = 1 << 30 };

/* A stream of pictures: one join point every gop_ms. */
struct source {
	struct segmenter s;
	uint64_t ms;     /* of the stream */
	uint64_t now_ns;
	uint64_t offset; /* of its PCRs, 27 MHz */
	uint64_t pos;
	struct ring_segment done, next;
	unsigned cuts, holes;
};

static inline void source_init(struct source *c, unsigned duration_ms)
{
	*c = (struct source){ .now_ns = SECOND_NS };
	segmenter_init(&c->s, duration_ms, BYTES_MAX, NULL, 0);
}

/* A second has 1,000 packets and 25 PCRs. */
static inline void pass(struct source *c, unsigned ms)
{
	for (unsigned i = 0; i < ms; i++) {
		c->ms++;
		c->now_ns += MS;
		c->pos += RING_PACKET;
		if (c->ms % 40 == 0)
			c->holes += segmenter_pcr(&c->s,
				(c->ms * PCR_HZ / 1000 + c->offset) % PCR_WRAP,
				false, c->now_ns, &c->done);
		segmenter_time(&c->s, c->now_ns);
	}
}

static inline enum segmenter_cut mark(struct source *c, bool guess,
				      bool has_pts)
{
	const struct ring_rap rap = {
		.pos = c->pos,
		.guess = guess,
		.pcr = (c->ms * PCR_HZ / 1000 + c->offset) % PCR_WRAP,
		.pts = has_pts ? (c->ms * 90 + c->offset / 300 + 90001) %
				 PES_TIME_WRAP : 0,
		.wall_ms = WALL_MS + (int64_t)c->ms,
	};
	enum segmenter_cut cut = segmenter_mark(&c->s, &rap, c->now_ns,
						&c->done, &c->next);

	c->cuts += cut == SEGMENTER_CUT;
	return cut;
}

/* The source is silent; its clock goes on. */
static inline void be_silent(struct source *c, unsigned ms)
{
	c->ms += ms;
	c->now_ns += ms * MS;
}

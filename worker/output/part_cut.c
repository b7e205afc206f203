/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/part_cut.h"

#include "worker/output/unit_time.h"

enum {
	TICKS_PER_MS = 90,
	SHARE = 85,  /* percent of the target that a part has at least */
	CHOSEN = 90, /* percent of a new target that the first part has */
	ROUNDING_MS = 500, /* a segment may be so much longer than expected */
	/* A segment longer than expected gets no further part after so many:
	 * RING_SEGMENT_PARTS parts of the target duration take as long as so
	 * many parts of the least duration (SHARE). */
	CROWD = RING_SEGMENT_PARTS * 100 / SHARE,
};

void part_cut_init(struct part_cut *p, const struct part_cut_config *cfg)
{
	unsigned least_ms = cfg->segment_ms / RING_SEGMENT_PARTS;
	unsigned part_ms = cfg->part_ms > 0 ? MAX(cfg->part_ms, least_ms) : 0;

	*p = (struct part_cut){ .target = part_ms * UINT64_C(90),
				.wanted = part_ms * UINT64_C(90) };
	/* keeps a target of an earlier process that settle() may have chosen */
	if (part_ms > 0 && cfg->target_ms <= MAX(part_ms, 2 * least_ms) &&
	    2 * cfg->target_ms > part_ms)
		p->target = cfg->target_ms * UINT64_C(90);
	part_cut_expect(p, cfg->segment_ms);
}

void part_cut_expect(struct part_cut *p, unsigned segment_ms)
{
	p->expected = MAX(p->expected,
			  (segment_ms + ROUNDING_MS) * UINT64_C(90));
	if (!p->crowded)
		return;
	p->target = MAX(p->wanted, p->expected / RING_SEGMENT_PARTS);
	p->settled = p->crowded = false;
}

static uint32_t ms_of(uint64_t time)
{
	return (uint32_t)MIN((time + TICKS_PER_MS / 2) / TICKS_PER_MS,
			     (uint64_t)RING_SEGMENT_MAX_MS);
}

unsigned part_cut_target_ms(const struct part_cut *p)
{
	return (unsigned)((p->target + TICKS_PER_MS - 1) / TICKS_PER_MS);
}

/* Ends the current part at pos, which is the time `to'.  Durations are rounded
 * so that their errors do not add up. */
static void finish(struct part_cut *p, uint64_t pos, uint64_t to,
		   const struct unit_time *t, struct ring_part *ret)
{
	uint64_t most = MAX(p->target, unit_time_shortest(t));
	uint64_t len;

	/* a segment may end at the time of audio, in front of this part */
	to = MAX(to, p->from);
	len = to - p->from;
	/* a long picture raises the target, but no more than the picture next
	 * to it is long: the rest is a hole of the stream */
	if (len > p->target) {
		p->target = MIN(len, most);
		to = p->from + p->target;
	}
	*ret = p->now;
	ret->end = pos;
	ret->duration_ms = MAX(ms_of(to) - ms_of(p->from), 1U);
}

static void begin(struct part_cut *p, uint64_t pos, uint64_t from,
		  bool independent)
{
	p->now.index++;
	if (from > p->expected && p->now.index >= CROWD) {
		p->crowded = true;
		p->begun = false;
	}
	p->now.pos = pos;
	p->now.independent = independent;
	p->from = from;
	p->last_pos = 0;
}

void part_cut_resume(struct part_cut *p, const struct ring_part *now,
		     uint64_t from, uint64_t at)
{
	/* a part that is already longer was begun with another target */
	if (p->target == 0 || at > from + p->target)
		return;
	p->begun = true;
	p->from = from;
	p->now = *now;
	p->last_pos = 0;
}

bool part_cut_late(struct part_cut *p, const struct unit_time *t,
		   struct ring_part *ret)
{
	if (!p->begun || p->last_pos == 0 || t->at <= p->from + p->target)
		return false;
	finish(p, p->last_pos, p->last, t, ret);
	begin(p, p->last_pos, p->last, p->last_independent);
	return true;
}

/* Settles the target by the first part of a stream: if that part is too short
 * for the target, all parts are, at this rate of pictures, so the target
 * becomes shorter.  A gap between pictures shows no rate.  If a segment would
 * have too many such parts, each part gets one more picture. */
static void settle(struct part_cut *p, uint64_t len, const struct unit_time *t)
{
	if (t->step > 2 * t->before || t->before > 2 * t->step)
		return;
	if (!p->settled && len * 100 < p->target * SHARE) {
		if (len * RING_PARTS < p->expected)
			len += t->step;
		p->target = len * 100 / CHOSEN;
	}
	p->settled = true;
}

bool part_cut_at(struct part_cut *p, uint64_t pos, const struct unit_time *t,
		 bool independent, struct ring_part *ret)
{
	uint64_t len = t->at - MIN(p->from, t->at);

	if (!p->begun || pos <= p->now.pos)
		return false;
	if (len > 0 && len + unit_time_longest(t) > p->target)
		settle(p, len, t);
	if (len + unit_time_longest(t) <= p->target) {
		p->last_pos = pos;
		p->last = t->at;
		p->last_independent = independent;
		return false;
	}
	finish(p, pos, t->at, t, ret);
	begin(p, pos, t->at, independent);
	return true;
}

bool part_cut_end(struct part_cut *p, const struct ring_segment *s, uint64_t to,
		  const struct unit_time *t, struct ring_part *ret)
{
	bool ends = p->begun && p->now.number == s->number &&
		    p->now.pos < s->end;

	if (ends)
		finish(p, s->end, to, t, ret);
	p->begun = false;
	return ends;
}

void part_cut_begin(struct part_cut *p, const struct ring_segment *s)
{
	p->begun = p->target > 0;
	p->from = p->last_pos = 0;
	p->now = (struct ring_part){ .number = s->number, .pos = s->pos,
				     .independent = s->independent };
}

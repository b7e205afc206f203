/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/part_cut.h"

#include "worker/ts/pcr.h"

/* A part has at least 85 % of the target duration (RFC 8216bis 4.4.4.9), and
 * the time of two pictures is left for its end. */
enum { SHARE = 86 };

void part_cut_init(struct part_cut *p, unsigned part_ms)
{
	*p = (struct part_cut){ .part_ms = part_ms };
}

static uint32_t ms_of(uint64_t ticks)
{
	return (uint32_t)MIN(ticks / (PCR_HZ / 1000),
			     (uint64_t)RING_SEGMENT_MAX_MS);
}

void part_cut_look(struct part_cut *p, uint64_t ticks)
{
	p->due = p->begun && !p->ended && ticks > p->ticks &&
		 ms_of(ticks - p->ticks) * 100 >= p->part_ms * SHARE;
}

void part_cut_at(struct part_cut *p, uint64_t pos, uint64_t ticks)
{
	p->due = false;
	if (pos <= p->now.pos)
		return;
	p->done = p->now;
	p->done.end = pos;
	p->done.duration_ms = MAX(ms_of(ticks - p->ticks), 1U);
	p->ended = true;
	p->now.index++;
	p->now.pos = pos;
	p->now.independent = false;
	p->ticks = ticks;
}

bool part_cut_take(struct part_cut *p, struct ring_part *ret)
{
	bool ended = p->ended;

	if (ended)
		*ret = p->done;
	p->ended = false;
	return ended;
}

bool part_cut_end(struct part_cut *p, const struct ring_segment *s,
		  struct ring_part *ret)
{
	uint32_t before = ms_of(p->ticks);

	if (!p->begun || p->now.number != s->number || p->now.pos >= s->end)
		return false;
	*ret = p->now;
	ret->end = s->end;
	ret->duration_ms = s->duration_ms > before ? s->duration_ms - before
						   : 1;
	return true;
}

void part_cut_begin(struct part_cut *p, const struct ring_segment *s)
{
	p->begun = p->part_ms > 0;
	p->due = false;
	p->ticks = 0;
	p->now = (struct ring_part){ .number = s->number, .pos = s->pos,
				     .independent = s->independent };
}

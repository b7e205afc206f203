/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/segmenter.h"

#include "common/base/units.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

enum {
	/* A join point so much in front of the duration ends the segment too:
	 * groups of pictures are not always exactly as long as they say. */
	EARLY_MS = 100,
	/* The hard maximum: longer than groups of pictures. */
	OVERDUE_MS = 20000,
	SHORTEST_MS = 1000, /* see the numbers in the header */
	/* The time of a segment by PTS is believed if it is that close to its
	 * time by PCR. */
	PTS_MAX_MS = 1000,
	/* Dates continue the durations unless they are that far off. */
	DATE_MAX_MS = 1000,
	RESUME_MAX_MS = 60000,
	NO_PCR_MS = 1000,
	BASE_UNIT_S = 300,
};

/* 2026-01-01 */
static const uint64_t base_epoch_s = 1767225600;

static const uint64_t ticks_per_ms = PCR_HZ / 1000;

void segmenter_init(struct segmenter *s, unsigned duration_ms,
		    uint64_t bytes_max, const struct ring_segment *last)
{
	*s = (struct segmenter){ .duration_ms = duration_ms,
				 .bytes_max = bytes_max };
	if (last == NULL)
		return;
	s->begun = s->resumed = true;
	s->now = *last;
	s->has_pcr = true;
	s->pcr = last->pcr;
}

void segmenter_pcr(struct segmenter *s, uint64_t pcr, bool discontinuity,
		   uint64_t now_ns)
{
	unsigned most_ms = s->resumed && s->ticks == 0 ? RESUME_MAX_MS
						       : PCR_GAP_MAX_MS;
	int64_t diff = wrap_diff(pcr, s->pcr, PCR_WRAP);

	if (s->has_pcr && !discontinuity && diff >= 0 &&
	    (uint64_t)diff <= most_ms * ticks_per_ms)
		s->ticks += (uint64_t)diff;
	else if (s->has_pcr)
		s->jumped = true;
	s->has_pcr = true;
	s->pcr = pcr;
	s->pcr_ns = now_ns;
}

void segmenter_time(struct segmenter *s, uint64_t now_ns)
{
	if (s->pcr_ns == 0)
		s->pcr_ns = now_ns;
	if (now_ns - s->pcr_ns < NO_PCR_MS * MS)
		return;
	/* a PCR that returns begins a new measurement */
	s->has_pcr = false;
	s->ticks += (now_ns - s->pcr_ns) * ticks_per_ms / MS;
	s->pcr_ns = now_ns;
}

void segmenter_change(struct segmenter *s, int64_t wall_ms, uint64_t now_ns)
{
	s->changed = true;
	s->at_once = now_ns - s->begun_ns >= SHORTEST_MS * MS ||
		     (!s->by_change &&
		      (int64_t)s->now.number < wall_ms / 1000);
}

bool segmenter_is_overdue(const struct segmenter *s, uint64_t pos)
{
	unsigned most_ms = MAX(2 * s->duration_ms, (unsigned)OVERDUE_MS);

	return s->begun && ((s->changed && s->at_once) ||
			    s->ticks >= most_ms * ticks_per_ms ||
			    pos - s->now.pos >= s->bytes_max);
}

static uint32_t measure(const struct segmenter *s, const struct ring_rap *rap)
{
	int64_t by_pcr = (int64_t)(s->ticks / ticks_per_ms), by_pts;

	if (rap->pts == 0 || s->now.pts == 0 || s->jumped)
		return (uint32_t)by_pcr;
	by_pts = wrap_diff(rap->pts, s->now.pts, PES_TIME_WRAP) / 90;
	if (by_pts > 0 && by_pts >= by_pcr - PTS_MAX_MS &&
	    by_pts <= by_pcr + PTS_MAX_MS)
		return (uint32_t)by_pts;
	return (uint32_t)by_pcr;
}

/* A segment that an earlier process began has an unknown length if the time has
 * jumped since.  A change of the tracks may end one before its second PCR. */
static uint32_t duration_of(const struct segmenter *s,
			    const struct ring_rap *rap, uint64_t now_ns)
{
	uint32_t ms = measure(s, rap);

	if (ms == 0 && s->changed && !s->resumed)
		ms = (uint32_t)MAX((now_ns - s->begun_ns) / MS,
				   UINT64_C(1));
	else if (ms == 0)
		ms = s->duration_ms;
	return MIN(ms, (uint32_t)RING_SEGMENT_MAX_MS);
}

static bool is_due(const struct segmenter *s, const struct ring_rap *rap,
		   uint64_t now_ns)
{
	if ((s->jumped || s->changed) &&
	    now_ns - s->begun_ns >= SHORTEST_MS * MS)
		return true;
	return segmenter_is_overdue(s, rap->pos) ||
	       measure(s, rap) + EARLY_MS >= s->duration_ms;
}

static int64_t date_of(const struct segmenter *s, const struct ring_rap *rap,
		       uint32_t duration_ms)
{
	int64_t date = s->now.wall_ms + duration_ms;

	if (s->jumped || rap->wall_ms - date > DATE_MAX_MS ||
	    date - rap->wall_ms > DATE_MAX_MS)
		return MAX(rap->wall_ms, 0);
	return date;
}

static void begin(struct segmenter *s, const struct ring_segment *next,
		  uint64_t now_ns)
{
	s->now = *next;
	s->begun = true;
	s->by_change = s->changed;
	s->resumed = s->jumped = s->changed = false;
	s->ticks = 0;
	s->begun_ns = now_ns;
}

/* The first base of a stream: greater than those of earlier services, if they
 * began no more than a base in each unit of time.  hls.js reads as many members
 * of an array as the number says, with each playlist: a number of seconds
 * stops it for minutes. */
static uint64_t base_at(uint64_t wall_s)
{
	return wall_s > base_epoch_s ? (wall_s - base_epoch_s) / BASE_UNIT_S
				     : 0;
}

enum segmenter_cut segmenter_mark(struct segmenter *s,
				  const struct ring_rap *rap, uint64_t now_ns,
				  struct ring_segment *done,
				  struct ring_segment *next)
{
	struct ring_segment at = {
		.pos = rap->pos,
		.pcr = rap->pcr,
		.pts = rap->pts,
		.wall_ms = MAX(rap->wall_ms, 0),
		.independent = !rap->guess,
	};

	if (s->duration_ms == 0)
		return SEGMENTER_NONE;
	if (!s->begun) {
		at.number = (uint64_t)MAX(at.wall_ms / 1000, 1);
		at.base = base_at(at.number);
		begin(s, &at, now_ns);
		*next = at;
		return SEGMENTER_FIRST;
	}
	if (rap->pos == s->now.pos || !is_due(s, rap, now_ns))
		return SEGMENTER_NONE;
	*done = s->now;
	done->end = rap->pos;
	done->duration_ms = duration_of(s, rap, now_ns);
	at.number = done->number + 1;
	at.base = done->base + (s->jumped || s->changed);
	at.wall_ms = date_of(s, rap, done->duration_ms);
	begin(s, &at, now_ns);
	*next = at;
	return SEGMENTER_CUT;
}

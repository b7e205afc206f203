/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/segmenter.h"

#include "common/base/units.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

enum {
	/* A join point up to this time in front of the wanted duration ends the
	 * segment, too: groups of pictures vary a little. */
	EARLY_MS = 100,
	/* Most duration of the first segment: longer than groups of
	 * pictures. */
	OVERDUE_MS = 20000,
	/* Shorter segments would let the numbers grow faster than the seconds
	 * since 1970. */
	SHORTEST_MS = 1000,
	/* The length of a segment by PTS is used if it differs from the length
	 * by PCR by at most this time. */
	PTS_MAX_MS = 1000,
	/* The date of a segment is that of the last one plus its duration,
	 * unless that differs from the wall clock by more. */
	DATE_MAX_MS = 1000,
	RESUME_MAX_MS = 60000, /* longest step of the first PCR behind an
				* earlier process */
	NO_PCR_MS = 1000, /* without a PCR for this time the clock of the
			   * machine measures the segment */
	/* A pause in which so much of the stream is missing is a hole. */
	HOLE_MS = 1000,
	/* Shortest outage: sources that send bursts pause, too. */
	IDLE_MIN_MS = 2000,
	/* A segment is cut when it is this much longer than its target.  It
	 * then still rounds to the target, even with one more PES packet and
	 * the distance of two PCRs. */
	ROUNDING_MS = 300,
	/* A duration that is so much longer rounds to its target. */
	ROUNDED_MS = 499,
	/* A time base continues behind a stop if the PTS differs by at most
	 * this time from the expected one. */
	CONTINUES_MS = 100,
	/* For this time after segmenter_resume() dates continue the durations,
	 * because the source sends packets late. */
	CATCH_UP_MS = 1000,
};

static const uint64_t ticks_per_ms = PCR_HZ / 1000;

void segmenter_init(struct segmenter *s, unsigned duration_ms,
		    uint64_t bytes_max, const struct ring_segment *last,
		    uint64_t pos)
{
	*s = (struct segmenter){ .duration_ms = duration_ms,
				 .bytes_max = bytes_max };
	if (last == NULL)
		return;
	s->begun = s->resumed = true;
	s->now = *last;
	s->stopped = last->end > 0;
	s->has_pcr = true;
	s->pcr = last->pcr;
	s->paused = !s->stopped && last->duration_ms > 0;
	s->pause_pos = pos;
	s->pause_ms = last->duration_ms;
}

/* Ends the segment at pos, because the stream stops; no other segment begins.
 * False: no segment is open, or it has no packet. */
static bool stop(struct segmenter *s, uint64_t pos, uint32_t media_ms,
		 struct ring_segment *done)
{
	if (!s->begun || s->stopped || pos <= s->now.pos)
		return false;
	s->now.end = pos;
	s->now.duration_ms = MIN(MAX(media_ms, 1U),
				 (uint32_t)RING_SEGMENT_MAX_MS);
	s->now.stopped = s->stopped = true;
	/* a PCR begins the measurement of the next segment */
	s->paused = s->has_pcr = false;
	*done = s->now;
	return true;
}

void segmenter_limit(struct segmenter *s, unsigned target_s)
{
	s->longest_ms = target_s * 1000 + ROUNDING_MS;
}

bool segmenter_tear(struct segmenter *s, uint64_t pos, uint32_t media_ms,
		    struct ring_segment *done)
{
	s->jumped = true;
	return stop(s, pos, media_ms, done);
}

/* True if media_ms, the length of the segment, includes a hole at its pause. */
static bool has_hole(const struct segmenter *s, int64_t media_ms)
{
	return s->paused && media_ms - s->pause_ms > HOLE_MS;
}

/* The length of the stream since the segment stopped, in ticks of 27 MHz. */
static int64_t behind_stop(const struct segmenter *s)
{
	return (int64_t)s->ticks -
	       (int64_t)(s->now.duration_ms * ticks_per_ms);
}

bool segmenter_pcr(struct segmenter *s, uint64_t pcr, bool discontinuity,
		   uint64_t now_ns, struct ring_segment *done)
{
	bool first = s->resumed && s->ticks == 0, hole = false;
	unsigned most_ms = first ? RESUME_MAX_MS : PCR_GAP_MAX_MS;
	int64_t diff = wrap_diff(pcr, s->pcr, PCR_WRAP);

	if (s->has_pcr && !discontinuity && diff >= 0 &&
	    (s->paused || (uint64_t)diff <= most_ms * ticks_per_ms)) {
		s->ticks += (uint64_t)diff;
		hole = has_hole(s, (int64_t)(s->ticks / ticks_per_ms));
	} else if (s->has_pcr) {
		s->jumped = true;
		hole = s->paused;
	}
	hole = hole && stop(s, s->pause_pos, s->pause_ms, done);
	s->silent = s->silent && !s->jumped &&
		    behind_stop(s) <= HOLE_MS * (int64_t)ticks_per_ms;
	s->paused = false;
	s->has_pcr = s->heard = true;
	s->pcr = pcr;
	s->pcr_ns = now_ns;
	return hole;
}

void segmenter_time(struct segmenter *s, uint64_t now_ns)
{
	if (s->pcr_ns == 0)
		s->pcr_ns = now_ns;
	if (now_ns - s->pcr_ns < NO_PCR_MS * MS)
		return;
	/* a PCR that returns begins a new measurement */
	s->has_pcr = s->paused = false;
	s->ticks += (now_ns - s->pcr_ns) * ticks_per_ms / MS;
	s->pcr_ns = now_ns;
}

void segmenter_pause(struct segmenter *s, uint64_t pos, uint32_t media_ms,
		     uint64_t now_ns)
{
	/* the pause is no time of the stream */
	s->pcr_ns = now_ns;
	if (!s->begun || s->stopped || s->paused)
		return;
	s->paused = true;
	s->pause_pos = pos;
	s->pause_ms = media_ms;
}

unsigned segmenter_idle_ms(const struct segmenter *s)
{
	return MAX(s->duration_ms, (unsigned)IDLE_MIN_MS);
}

bool segmenter_idle(struct segmenter *s, uint64_t pos, uint32_t media_ms,
		    struct ring_segment *done)
{
	bool has_pcr = s->has_pcr;

	if (!stop(s, pos, media_ms, done))
		return false;
	s->silent = !s->resumed && !s->jumped && !s->changed;
	s->heard = false;
	/* the next PCR may continue the last one */
	s->has_pcr = has_pcr;
	return true;
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
	unsigned most_ms = s->longest_ms > 0
		? s->longest_ms
		: MAX(2 * s->duration_ms, (unsigned)OVERDUE_MS);

	return s->begun && !s->stopped &&
	       ((s->changed && s->at_once) ||
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

/* The duration of the segment in ms if it ends at this join point.  If it is
 * unknown: after a change of the tracks the time that has passed, otherwise the
 * wanted duration. */
static uint32_t duration_of(const struct segmenter *s,
			    const struct ring_rap *rap, uint64_t now_ns)
{
	uint32_t ms = measure(s, rap);

	if (ms == 0 && s->changed && !s->resumed)
		ms = (uint32_t)MAX((now_ns - s->begun_ns) / MS,
				   UINT64_C(1));
	else if (ms == 0)
		ms = s->duration_ms;
	/* lost packets add no duration */
	if (s->longest_ms > 0)
		ms = MIN(ms, s->longest_ms - ROUNDING_MS + ROUNDED_MS);
	return MIN(ms, (uint32_t)RING_SEGMENT_MAX_MS);
}

/* True if the next join point is likely to be behind the target, so that the
 * segment must be cut at this one. */
static bool is_last_chance(const struct segmenter *s,
			   const struct ring_rap *rap)
{
	uint32_t ms = measure(s, rap);

	return !rap->guess && s->longest_ms > 0 && ms >= SHORTEST_MS &&
	       ms + MAX(s->gop_ms, s->gop_before_ms) > s->longest_ms;
}

static bool is_due(const struct segmenter *s, const struct ring_rap *rap,
		   uint64_t now_ns)
{
	if ((s->jumped || s->changed) &&
	    now_ns - s->begun_ns >= SHORTEST_MS * MS)
		return true;
	if ((s->is_rest && !rap->guess) || is_last_chance(s, rap))
		return true;
	return segmenter_is_overdue(s, rap->pos) ||
	       measure(s, rap) + EARLY_MS >= s->duration_ms;
}

/* Measures the time since the previous join point: the length of a group of
 * pictures. */
static void note_group(struct segmenter *s, const struct ring_rap *rap)
{
	uint32_t ms = measure(s, rap);

	if (rap->guess || s->stopped || s->jumped)
		return;
	/* not for the first join point of a segment that began between join
	 * points, or in an earlier process: its group began elsewhere */
	if (ms > s->rap_ms && (s->rap_ms > 0 || !(s->is_rest || s->resumed)))
		s->gop_ms = MAX(s->gop_ms, ms - s->rap_ms);
	s->rap_ms = ms;
}

static int64_t date_of(const struct segmenter *s, const struct ring_rap *rap,
		       uint64_t now_ns)
{
	int64_t date = s->now.wall_ms + s->now.duration_ms;

	if (!s->jumped && s->resumed_ns > 0 &&
	    now_ns - s->resumed_ns < CATCH_UP_MS * MS)
		return date;
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
	s->is_rest = !next->independent && !s->changed;
	s->resumed = s->jumped = s->changed = false;
	s->stopped = s->paused = s->silent = false;
	s->gop_before_ms = s->gop_ms;
	s->gop_ms = s->rap_ms = 0;
	s->ticks = 0;
	s->begun_ns = now_ns;
}

/* The time from the begin of the segment to the join point by PTS, in ms; -1:
 * unknown. */
static int64_t passed(const struct segmenter *s, const struct ring_rap *rap)
{
	if (rap->pts == 0 || s->now.pts == 0)
		return -1;
	return wrap_diff(rap->pts, s->now.pts, PES_TIME_WRAP) / 90;
}

/* True if the time of the stream at this join point continues where the segment
 * stopped. */
static bool continues(const struct segmenter *s, const struct ring_rap *rap)
{
	int64_t gap = passed(s, rap) - s->now.duration_ms;

	return !s->jumped && !s->changed && passed(s, rap) >= 0 &&
	       gap >= -CONTINUES_MS && gap <= CONTINUES_MS;
}

bool segmenter_resume(struct segmenter *s, uint64_t now_ns,
		      struct ring_segment *next)
{
	const struct ring_segment *last = &s->now;
	uint64_t pts = last->pts + last->duration_ms * UINT64_C(90);
	uint64_t ticks = (uint64_t)MAX(behind_stop(s), INT64_C(0));

	if (!s->silent || s->jumped || s->changed)
		return false;
	*next = (struct ring_segment){
		.number = last->number + 1,
		.base = last->base,
		.pos = last->end,
		.pcr = s->pcr,
		/* the PTS that a join point would have here */
		.pts = last->pts == 0 ? 0 : MAX(pts % PES_TIME_WRAP,
						UINT64_C(1)),
		.wall_ms = last->wall_ms + last->duration_ms,
	};
	begin(s, next, now_ns);
	s->ticks = ticks;
	s->resumed_ns = now_ns;
	return true;
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
	enum segmenter_cut cut = SEGMENTER_FIRST; /* no segment ends here */
	bool other = false; /* the next segment has a new time base */

	if (s->duration_ms == 0)
		return SEGMENTER_NONE;
	if (!s->begun) {
		at.number = MAX((uint64_t)at.wall_ms / 1000,
				MAX(s->number_least, UINT64_C(1)));
		at.base = MAX(ring_base_at(at.number), s->base_least);
		begin(s, &at, now_ns);
		*next = at;
		return SEGMENTER_FIRST;
	}
	if (rap->pos == s->now.pos)
		return SEGMENTER_NONE;
	note_group(s, rap);
	if (!s->stopped && has_hole(s, passed(s, rap)) &&
	    stop(s, s->pause_pos, s->pause_ms, done))
		cut = SEGMENTER_CUT;
	if (s->stopped) {
		other = !continues(s, rap);
	} else if (is_due(s, rap, now_ns)) {
		s->now.end = rap->pos;
		s->now.duration_ms = duration_of(s, rap, now_ns);
		other = s->jumped || s->changed;
		*done = s->now;
		cut = SEGMENTER_CUT;
	} else {
		return SEGMENTER_NONE;
	}
	at.number = s->now.number + 1;
	at.base = s->now.base + other;
	at.wall_ms = date_of(s, rap, now_ns);
	begin(s, &at, now_ns);
	*next = at;
	return cut;
}

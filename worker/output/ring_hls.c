/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/ring_hls.h"

#include "common/base/ring.h"
#include "common/base/units.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

enum {
	/* After such a pause of video and audio, packets may be missing. */
	PAUSE_MS = 1000,
	/* Bytes of a ring that deliver keeps for slow clients, in addition to a
	 * third (worker/deliver/lag.h). */
	EXTRA = 8 << 20,
	SHARE = 4, /* a segment has at most 1/4 of the bytes of the ring */
	TICKS_PER_MS = 90,
	/* If the pictures end so much earlier than the PCRs, pictures are
	 * missing. */
	LACKING_MS = 500,
	/* If the first DTS behind an outage follows the last one within this
	 * time, no picture is missing. */
	NEXT_MS = 1000,
	/* The target is at least so much longer than the first segment: the
	 * next segments may be longer by some pictures. */
	MARGIN_MS = 200,
};

void ring_hls_init(struct ring_hls *h, struct ring_writer *ring)
{
	*h = (struct ring_hls){ .ring = ring, .unit_pos = UINT64_MAX };
}

/* Raises the target duration to at least this one, which limits the next
 * segments.  A longer target stays. */
static void set_target(struct ring_hls *h, unsigned duration_ms)
{
	ring_segment_target(h->ring, (duration_ms + 500) / 1000);
	segmenter_limit(&h->segmenter, ring_writer_target(h->ring));
	part_cut_expect(&h->part, ring_writer_target(h->ring) * 1000);
}

/* The time from the begin of the segment to the end of the ring, 90 kHz.  The
 * last unit is expected to last as long as the unit before it. */
static uint64_t end_of(const struct ring_hls *h)
{
	uint64_t clock = h->segmenter.ticks / PCR_PER_TICK;
	uint64_t end = h->time.at + h->time.step;

	return clock > end + LACKING_MS * TICKS_PER_MS ? clock : end;
}

static void add_part(struct ring_hls *h, const struct ring_part *p)
{
	ring_publish(h->ring);
	ring_part_target(h->ring, part_cut_target_ms(&h->part));
	ring_part_add(h->ring, p);
}

/* Ends the last part of a segment at the time `to', and updates the target.
 * Call it before the end of the segment is published, so that readers of an
 * ended segment also find its last part. */
static void finish(struct ring_hls *h, const struct ring_segment *done,
		   uint64_t to)
{
	struct ring_part part;

	if (ring_writer_target(h->ring) > 0)
		set_target(h, done->duration_ms);
	else
		set_target(h, MAX(h->config.duration_ms,
				  done->duration_ms + 500 - MARGIN_MS));
	if (part_cut_end(&h->part, done, to, &h->time, &part))
		add_part(h, &part);
	h->bytes = MAX(h->bytes, done->end - done->pos);
}

static void stop(struct ring_hls *h, const struct ring_segment *done,
		 uint64_t to)
{
	ring_publish(h->ring);
	finish(h, done, to);
	ring_segment_stop(h->ring, done);
}

/* Ends the segment in front of the unit in which the previous process ended:
 * the torn unit is in no segment. */
static void leave_torn(struct ring_hls *h, uint64_t pos, uint32_t ms)
{
	struct ring_segment done;

	if (segmenter_tear(&h->segmenter, pos, ms, &done))
		stop(h, &done, ms * (uint64_t)TICKS_PER_MS);
}

/* Continues the part that the previous process began, if its target is the
 * same.  A segment without its last part would end the low latency of the
 * stream. */
static void resume_parts(struct ring_hls *h, const struct ring_segment *s,
			 uint64_t at)
{
	struct ring_part now;

	if (part_cut_target_ms(&h->part) == ring_writer_part_target(h->ring) &&
	    ring_writer_part(h->ring, s, &now))
		part_cut_resume(&h->part, &now,
				now.duration_ms * (uint64_t)TICKS_PER_MS, at);
}

void ring_hls_start(struct ring_hls *h, const struct ring_out_hls *config)
{
	const struct ring_writer *ring = h->ring;
	struct ring_segment last;
	uint64_t torn = 0;
	uint32_t torn_ms;
	/* without HLS a segment of an earlier process does not continue */
	bool has_last = config->duration_ms > 0 &&
			ring_writer_segment(h->ring, &last);
	uint64_t pos = ring_writer_pos(h->ring);
	bool is_torn = has_last && last.end == 0 &&
		       ring_unit_torn(h->ring, &torn, &torn_ms);

	if (is_torn && torn == last.pos)
		has_last = ring_segment_undo(h->ring, &last);
	h->config = *config;
	segmenter_init(&h->segmenter, config->duration_ms,
		       ring_writer_max(h->ring) / SHARE,
		       has_last ? &last : NULL, pos);
	h->segmenter.base_least = ring_writer_base(h->ring);
	h->segmenter.number_least = ring_writer_number(h->ring);
	if (has_last && last.end == 0)
		h->pause_at = last.duration_ms * (uint64_t)TICKS_PER_MS;
	unit_time_begin(&h->time, h->pause_at, false);
	part_cut_init(&h->part, &(struct part_cut_config){
		.part_ms = config->part_ms,
		.segment_ms = MAX(config->duration_ms,
				  ring_writer_target(ring) * 1000),
		.target_ms = ring_writer_part_target(ring),
	});
	if (has_last && last.end == 0)
		resume_parts(h, &last, is_torn && torn > last.pos
			     ? torn_ms * (uint64_t)TICKS_PER_MS : h->pause_at);
	ring_part_target(h->ring, part_cut_target_ms(&h->part));
	/* an earlier process set the target, maybe for another duration */
	if (config->duration_ms > 0 && ring_writer_target(h->ring) > 0)
		set_target(h, config->duration_ms);
	if (is_torn && has_last)
		leave_torn(h, torn, torn_ms);
}

void ring_hls_content(struct ring_hls *h, uint64_t now_ns)
{
	if (h->content_ns > 0 && now_ns - h->content_ns >= PAUSE_MS * MS &&
	    !h->segmenter.paused) {
		h->pause_at = end_of(h);
		segmenter_pause(&h->segmenter, ring_writer_pos(h->ring),
				(uint32_t)(h->pause_at / TICKS_PER_MS),
				now_ns);
	}
	h->content_ns = now_ns;
	h->silent = false;
	segmenter_time(&h->segmenter, now_ns);
}

uint64_t ring_hls_next_ns(const struct ring_hls *h)
{
	if (!h->segmenter.begun || h->segmenter.stopped)
		return UINT64_MAX;
	if (h->content_ns == 0)
		return 0;
	return h->content_ns + segmenter_idle_ms(&h->segmenter) * MS;
}

void ring_hls_idle(struct ring_hls *h, uint64_t now_ns)
{
	const struct segmenter *s = &h->segmenter;
	struct ring_segment done;
	uint64_t end = ring_writer_pos(h->ring), to = end_of(h);

	/* an earlier process began the segment */
	if (h->content_ns == 0)
		h->content_ns = now_ns;
	h->resumes_unit = h->unit_pos > s->now.pos && h->unit_pos < end &&
			  h->time.at > 0;
	if (h->resumes_unit) {
		end = h->unit_pos;
		to = h->time.at;
	}
	if (now_ns >= ring_hls_next_ns(h) &&
	    segmenter_idle(&h->segmenter, end, (uint32_t)(to / TICKS_PER_MS),
			   &done)) {
		stop(h, &done, to);
		h->silent = true;
	}
}

void ring_hls_pcr(struct ring_hls *h, uint64_t pcr, bool discontinuity,
		  uint64_t now_ns)
{
	struct ring_segment done;

	if (segmenter_pcr(&h->segmenter, pcr, discontinuity, now_ns, &done))
		stop(h, &done, h->pause_at);
}

/* True if this DTS follows closely behind the unit in front of the outage, so
 * that no picture is missing. */
static bool is_next(const struct ring_hls *h, uint64_t dts)
{
	int64_t step = wrap_diff(dts, h->time.dts, PES_TIME_WRAP);

	return step >= 0 && step <= NEXT_MS * TICKS_PER_MS;
}

bool ring_hls_resume(struct ring_hls *h, const uint64_t *dts, uint64_t now_ns)
{
	struct ring_segment next;
	bool has_dts = h->time.has_dts && dts != NULL;

	if (!h->segmenter.stopped || h->silent)
		return false;
	/* without a DTS the next PCR shows whether packets are missing */
	if (!has_dts && h->segmenter.silent && !h->segmenter.heard)
		return false;
	if ((has_dts && !is_next(h, *dts)) ||
	    !segmenter_resume(&h->segmenter, now_ns, &next)) {
		h->segmenter.silent = false;
		unit_time_break(&h->time);
		return false;
	}
	ring_publish(h->ring);
	ring_segment_cut(h->ring, NULL, &next);
	part_cut_begin(&h->part, &next);
	unit_time_begin(&h->time, 0, h->resumes_unit);
	return true;
}

void ring_hls_unit(struct ring_hls *h, const uint64_t *dts)
{
	struct ring_part part;

	unit_time_next(&h->time, dts, h->segmenter.ticks / PCR_PER_TICK);
	h->unit_pos = ring_writer_pos(h->ring);
	ring_unit_begin(h->ring, (uint32_t)(h->time.at / TICKS_PER_MS));
	/* paused: the next PCR may show that the segment ended at the pause */
	if (!h->segmenter.begun || h->segmenter.stopped || h->segmenter.paused)
		return;
	ring_segment_advance(h->ring, (uint32_t)(end_of(h) / TICKS_PER_MS));
	if (part_cut_late(&h->part, &h->time, &part))
		add_part(h, &part);
}

static void divide(struct ring_hls *h, bool independent)
{
	struct ring_part part;

	if (!h->segmenter.paused && !h->segmenter.stopped &&
	    part_cut_at(&h->part, ring_writer_pos(h->ring), &h->time,
			independent, &part))
		add_part(h, &part);
}

void ring_hls_divide(struct ring_hls *h)
{
	divide(h, false);
}

/* The time at which the segment has ended, from its begin, 90 kHz. */
static uint64_t end_time(const struct ring_hls *h,
			 const struct ring_segment *done)
{
	if (done->stopped)
		return h->pause_at;
	return h->unit_pos == done->end
		? h->time.at : done->duration_ms * (uint64_t)TICKS_PER_MS;
}

bool ring_hls_is_overdue(const struct ring_hls *h)
{
	return segmenter_is_overdue(&h->segmenter, ring_writer_pos(h->ring));
}

/* The PTS of a segment that begins here: that of the previous segment plus its
 * length.  The PTS of the join point does not measure the length, because
 * pictures are shown in another order. */
static uint64_t guess_pts(const struct ring_hls *h, const struct ring_rap *rap)
{
	uint64_t begin = h->segmenter.now.pts;

	if (begin == 0 || h->unit_pos != rap->pos || h->segmenter.stopped)
		return rap->pts;
	return MAX((begin + h->time.at) % PES_TIME_WRAP, UINT64_C(1));
}

void ring_hls_mark(struct ring_hls *h, const struct ring_rap *at,
		   uint64_t now_ns)
{
	struct ring_segment done, next;
	enum segmenter_cut cut;
	struct ring_rap rap = *at;

	/* no cut in an outage: the guess is a table or a null packet */
	if (h->silent)
		return;
	if (rap.guess)
		rap.pts = guess_pts(h, at);
	cut = segmenter_mark(&h->segmenter, &rap, now_ns, &done, &next);
	if (cut == SEGMENTER_NONE) {
		divide(h, !rap.guess);
		return;
	}
	ring_publish(h->ring);
	if (cut == SEGMENTER_CUT)
		finish(h, &done, end_time(h, &done));
	ring_segment_cut(h->ring, cut == SEGMENTER_CUT ? &done : NULL, &next);
	part_cut_begin(&h->part, &next);
	unit_time_begin(&h->time, 0, h->unit_pos == next.pos);
}

uint64_t ring_hls_bytes(const struct ring_hls *h)
{
	uint64_t bytes = (2 * h->config.quantity + 1) * h->bytes;

	return bytes > 0 ? bytes / 2 * 3 + EXTRA : 0;
}

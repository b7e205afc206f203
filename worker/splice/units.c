/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The units of elementary streams: PES and the order of their times. */
#include "worker/splice/machine.h"

#include "common/base/util.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"
#include "worker/ts/rap.h"

enum {
	HZ = 90000,
	/* The normal distance of a DTS from its clock (DTS minus PCR). */
	LEAD_LEAST = -1 * HZ,
	LEAD_MOST = 10 * HZ,
	/* DTS minus PCR jumps if it changes by more between two units. */
	LEAD_JUMP = 5 * HZ,
	/* A change of DTS minus PCR up to this may be DTS out of order. */
	LEAD_ODD = HZ / 5,
	/* Without a clock, a larger step back of the DTS is a jump. */
	BACK_JUMP = HZ / 2,
	LIFT_MOST = SPLICE_LIFT_MS * (HZ / 1000),
	AUDIO_SAMPLES = 1024,   /* samples of a frame in most codecs */
	SAMPLES_MOST = 1 << 24, /* most samples that are counted in a unit */
	OVERLAP_MOST = SPLICE_OVERLAP_MS * (HZ / 1000),
	LEAD_FRESH_NS = 1000 * SPLICE_MS,
	/* A step of the DTS that exceeds the earlier ones by more is odd. */
	ODD_AHEAD = HZ / 20,
	/* An excess of a step is noted from this length on (90 kHz). */
	AHEAD_LEAST = HZ / 50,
	/* The PCR that explains the excess comes at most this much later. */
	AHEAD_FRESH_NS = 300 * SPLICE_MS,
	/* A unit that is later than its step by more came after a pause. */
	PAUSE_LEAST = HZ / 10,
};

static int64_t diff(uint64_t later, uint64_t earlier)
{
	return wrap_diff(later, earlier, PES_TIME_WRAP);
}

static uint64_t add(uint64_t time, int64_t ticks)
{
	int64_t wrap = (int64_t)PES_TIME_WRAP;

	return (uint64_t)(((int64_t)time + ticks % wrap + wrap) % wrap);
}

static struct splice_track *find_track(const struct splice *s, uint16_t pid)
{
	unsigned index = s->pids[pid].track;

	return index == 0 ? NULL : &s->sent->tracks[index - 1];
}

static struct splice_unit *unit_of(struct splice *s,
				   const struct splice_track *t)
{
	return &s->units[t - s->sent->tracks];
}

/* Takes a free track, or the one that was silent for longest. */
static struct splice_track *make_track(struct splice *s, uint16_t pid)
{
	struct splice_track *t = &s->sent->tracks[0];

	for (size_t i = 0; i < SPLICE_TRACKS && t->used; i++) {
		struct splice_track *other = &s->sent->tracks[i];

		if (!other->used || other->at_packets < t->at_packets)
			t = other;
	}
	if (t->used)
		s->pids[t->pid].track = 0;
	*t = (struct splice_track){
		.pid = pid, .used = 1, .clock = s->pids[pid].clock,
	};
	*unit_of(s, t) = (struct splice_unit){ 0 };
	s->pids[pid].track = (uint8_t)(t - s->sent->tracks + 1);
	return t;
}

struct stamps_move splice_move_of(const struct splice *s, uint16_t pid)
{
	const struct splice_clock *c = &s->sent->clocks[s->pids[pid].clock];
	unsigned track = s->pids[pid].track;
	const struct splice_unit *u = track == 0 ? NULL : &s->units[track - 1];
	uint64_t extra = 0;

	/* a cut, unless it is a lap, ends the extra move */
	if (u != NULL && (u->cut == s->cut || s->kind == SPLICE_LAP))
		extra = u->extra;
	return (struct stamps_move){
		.clock = c->offset,
		.times = (c->offset + c->lift + extra) % PES_TIME_WRAP,
	};
}

/* The class of this PES by the tables, or by its stream_id if they do not name
 * its PID. */
static enum pid_class class_of(const struct splice *s, const uint8_t *packet)
{
	enum pid_class class = psi_class(s->psi, ts_pid(packet));
	size_t len;
	const uint8_t *pes = pes_find(packet, &len);

	if (class != PID_UNKNOWN || pes == NULL)
		return class;
	if (pes[3] >= 0xe0 && pes[3] <= 0xef)
		return PID_VIDEO;
	return pes[3] >= 0xc0 && pes[3] <= 0xdf ? PID_AUDIO : PID_OTHER;
}

/* The PTS or DTS at this offset of a packet, as it will be sent. */
static uint64_t moved(const struct splice *s, const uint8_t *packet, size_t at)
{
	return (pes_time(packet + at) +
		splice_move_of(s, ts_pid(packet)).times) % PES_TIME_WRAP;
}

/* --- jumps inside one source --- */

static bool is_far(int64_t lead, int64_t before, int64_t most)
{
	return lead - before > most || before - lead > most;
}

static bool is_sane(int64_t lead)
{
	return lead >= LEAD_LEAST && lead <= LEAD_MOST;
}

/* How far a DTS is ahead of its clock, in 90 kHz. */
struct leads {
	int64_t last; /* ahead of the last PCR */
	int64_t now;  /* ahead of a PCR close by, or if that is unknown, of the
			 output clock now */
};

static struct leads leads_of(const struct splice *s,
			     const struct splice_clock *c, uint64_t dts,
			     const uint64_t *pcr)
{
	uint64_t now = splice_clock_at(c, s->now_ns) / PCR_PER_TICK;

	if (pcr != NULL)
		now = (*pcr / PCR_PER_TICK + c->offset) % PES_TIME_WRAP;
	return (struct leads){ .last = diff(dts, c->pcr / PCR_PER_TICK),
			       .now = diff(dts, now) };
}

bool splice_unit_jumps(const struct splice *s, const uint8_t *packet,
		       const uint64_t *pcr)
{
	uint16_t pid = ts_pid(packet);
	const struct splice_track *t = find_track(s, pid);
	const struct splice_unit *u;
	const struct splice_clock *c = &s->sent->clocks[s->pids[pid].clock];
	enum pid_class class;
	struct pes_times at;

	if (!pes_times(packet, &at) || s->pending[c - s->sent->clocks])
		return false;
	class = class_of(s, packet);
	if (class != PID_VIDEO && class != PID_AUDIO)
		return false;

	uint64_t dts = moved(s, packet, at.dts);
	struct leads leads = leads_of(s, c, dts, pcr);

	/* the first unit after a cut: compared with the clock alone */
	if (t == NULL || s->units[t - s->sent->tracks].cut != s->cut)
		return s->buffer != NULL && c->used && !is_sane(leads.last) &&
		       !is_sane(leads.now);
	if (!c->used)
		return diff(dts, t->dts) < -BACK_JUMP ||
		       diff(dts, t->dts) > LEAD_MOST;
	u = &s->units[t - s->sent->tracks];
	return u->lead != SPLICE_LEAD_UNKNOWN &&
	       is_far(leads.last, u->lead, LEAD_JUMP) &&
	       is_far(leads.now, u->lead, LEAD_JUMP);
}

bool splice_unit_leaves_clock(const struct splice *s, const uint8_t *packet,
			      const uint64_t *pcr)
{
	const struct splice_track *t = find_track(s, ts_pid(packet));
	const struct splice_clock *c =
		&s->sent->clocks[s->pids[ts_pid(packet)].clock];
	const struct splice_unit *u;
	struct leads leads;
	struct pes_times at;

	if (t == NULL || !pes_times(packet, &at))
		return false;
	u = &s->units[t - s->sent->tracks];
	leads = leads_of(s, c, moved(s, packet, at.dts), pcr);
	return u->cut == s->cut && u->lead != SPLICE_LEAD_UNKNOWN &&
	       (pcr != NULL || is_far(leads.last, u->lead, LEAD_ODD)) &&
	       is_far(leads.now, u->lead, LEAD_ODD);
}

/* Writes the step of the DTS to the PES that begins in the packet, and the
 * longer one of the two steps before.  False: they are unknown. */
static bool steps_of(const struct splice *s, const uint8_t *packet,
		     int64_t *ret, int64_t *ret_before)
{
	const struct splice_track *t = find_track(s, ts_pid(packet));
	const struct splice_unit *u;
	enum pid_class class;
	struct pes_times at;

	if (t == NULL || !ts_pusi(packet))
		return false;
	u = &s->units[t - s->sent->tracks];
	if (u->cut != s->cut || u->step == 0 || !pes_times(packet, &at))
		return false;
	class = class_of(s, packet);
	if (class != PID_VIDEO && class != PID_AUDIO)
		return false;
	*ret = diff(moved(s, packet, at.dts), t->dts);
	*ret_before = MAX(u->step, u->earlier_step);
	return true;
}

bool splice_unit_is_odd(const struct splice *s, const uint8_t *packet)
{
	int64_t step, before;

	return steps_of(s, packet, &step, &before) &&
	       (step <= 0 || step > before + ODD_AHEAD);
}

int64_t splice_unit_late_by(const struct splice *s, const uint8_t *packet)
{
	int64_t step, before;

	return steps_of(s, packet, &step, &before) ? before - step : 0;
}

bool splice_unit_is_strange(const struct splice *s, const uint8_t *packet)
{
	const struct splice_clock *c =
		&s->sent->clocks[s->pids[ts_pid(packet)].clock];
	struct leads leads;
	struct pes_times at;

	if (!c->used || !pes_times(packet, &at))
		return false;
	leads = leads_of(s, c, moved(s, packet, at.dts), NULL);
	return !is_sane(leads.last) && !is_sane(leads.now);
}

/* The least distance of the next unit of this stream from the last one. */
static int64_t least_step(const struct splice_track *t, enum pid_class class)
{
	if ((class != PID_VIDEO && class != PID_AUDIO) || t->span > HZ)
		return 1;
	return MAX((int64_t)t->span - t->slack, 1);
}

bool splice_unit_rejoin(struct splice *s, const uint8_t *packet)
{
	struct splice_track *t = find_track(s, ts_pid(packet));
	struct pes_times at;

	if (t == NULL || unit_of(s, t)->cut != s->cut ||
	    !pes_times(packet, &at))
		return false;

	struct splice_unit *u = unit_of(s, t);
	uint64_t dts = moved(s, packet, at.dts);
	int64_t back = diff(add(dts, -(int64_t)u->extra), t->dts);

	/* without the extra move this DTS follows: the source has returned to
	 * its earlier times */
	if (u->extra != 0 && back > 0 && back < LEAD_JUMP)
		u->extra = 0;
	else
		u->extra = add(u->extra,
			       diff(t->dts, dts) +
			       least_step(t, class_of(s, packet)));
	return true;
}

/* --- after a cut --- */

/* Is the picture that begins in a packet a random access point?  If the packet
 * does not show it, later packets of the feed are read. */
static bool is_rap(const struct splice *s, const uint8_t *packet)
{
	struct splice_cursor c;
	uint16_t pid = ts_pid(packet);
	struct rap rap = { 0 };
	enum rap_sign sign;

	rap_follow(&rap, pid, psi_coding(s->psi, pid), PID_VIDEO);
	/* the packets behind it have the rest of a split header */
	if (s->ahead != NULL)
		packet = splice_cursor_get(s->ahead);
	sign = rap_feed(&rap, packet);
	if (sign != RAP_OPEN)
		return sign == RAP_HERE;
	if (s->ahead == NULL)
		return rap.marked;
	c = *s->ahead;
	for (unsigned i = 0; i < SPLICE_AHEAD && splice_cursor_next(&c); i++) {
		const uint8_t *p = splice_cursor_get(&c);

		if (ts_pid(p) != pid || !ts_sync_ok(p))
			continue;
		sign = rap_feed(&rap, p);
		if (sign != RAP_NONE)
			return sign == RAP_YES;
	}
	return rap.marked;
}

/* Must a unit be dropped that overlaps by `need' (90 kHz)? */
static bool must_drop(const struct splice *s, struct splice_track *t,
		      const uint8_t *packet, int64_t need)
{
	const struct splice_clock *c = &s->sent->clocks[s->pids[t->pid].clock];
	const struct splice_unit *u = &s->units[t - s->sent->tracks];
	enum pid_class class = class_of(s, packet);
	uint64_t picture_ms = s->late ? SPLICE_LATE_PICTURE_MS
				      : SPLICE_PICTURE_MS;

	/* just after a jump, units with times from before it may arrive */
	if (need > OVERLAP_MOST)
		return s->kind == SPLICE_JUMP && splice_is_just_cut(s);
	if (class != PID_VIDEO)
		return need > 0;
	if (u->waits && s->now_ns - s->since_ns < picture_ms * SPLICE_MS &&
	    !is_rap(s, packet))
		return true;
	return need > 0 && diff(c->lift, 0) + need > LIFT_MOST;
}

/* Can the whole source be moved by this overlap (90 kHz)?  Only between its
 * jump and its second PCR. */
static bool can_shift(const struct splice *s, const struct splice_track *t,
		      int64_t need)
{
	const struct splice_watch *w = &s->watches[s->pids[t->pid].clock];

	return s->kind == SPLICE_JUMP && need > 0 && w->n <= 1 &&
	       need * PCR_PER_TICK <= w->room &&
	       !s->units[t - s->sent->tracks].waits;
}

/*
 * Joins the first unit of a stream after a cut to the units that were sent.  If
 * it overlaps them, it is dropped; a picture is moved behind them if the lift
 * permits that.  A unit that is too far from the clock is moved, too.
 */
static unsigned join(struct splice *s, struct splice_track *t,
		     const uint8_t *packet, const struct pes_times *at)
{
	struct splice_clock *c = &s->sent->clocks[s->pids[t->pid].clock];
	enum pid_class class = class_of(s, packet);
	uint64_t dts = moved(s, packet, at->dts);
	int64_t need = diff(t->dts, dts);
	uint64_t passed = (s->now_ns - s->sent->at_ns) / 1000 * 9 / 100;
	/* without a clock: the last DTS plus the time that passed */
	uint64_t now = c->used ? splice_clock_at(c, s->now_ns) / PCR_PER_TICK
			       : add(t->dts, (int64_t)(passed % PES_TIME_WRAP));
	int64_t lead = diff(dts, now);

	/* Other pictures must not be shown before pictures that were sent.
	 * After a jump the same video continues, whose order in display differs
	 * from that of its DTS, unless the picture is a random access point. */
	if (class == PID_VIDEO &&
	    (s->kind != SPLICE_JUMP || is_rap(s, packet)))
		need = MAX(need, diff(t->pts, moved(s, packet, at->pts)));
	need += least_step(t, class);
	if (can_shift(s, t, need)) {
		s->watches[c - s->sent->clocks].room -= need * PCR_PER_TICK;
		splice_clock_shift(c, (uint64_t)need);
		return SPLICE_KEEP;
	}
	if (class == PID_VIDEO && (s->kind == SPLICE_BLIND ||
				   (s->kind == SPLICE_SWITCH && s->late)))
		unit_of(s, t)->waits = true;
	if (must_drop(s, t, packet, need)) {
		unit_of(s, t)->waits = true;
		return 0;
	}
	if (need <= 0 && is_sane(lead))
		return SPLICE_KEEP;
	if (!is_sane(lead + need) && (need <= 0 || is_sane(lead)))
		return need > 0 ? SPLICE_KEEP | SPLICE_BREAK : SPLICE_KEEP;
	/* video, or audio without video, moves its whole program */
	if (class == PID_VIDEO ||
	    (class == PID_AUDIO && psi_video_count(s->psi) == 0))
		c->lift = add(c->lift, need);
	else
		unit_of(s, t)->extra = add(unit_of(s, t)->extra, need);
	return SPLICE_KEEP;
}

static uint32_t span_of_samples(const struct splice_unit *u, uint64_t samples)
{
	return u->rate == 0 ? 0 : (uint32_t)MIN(samples * HZ / u->rate,
						SPLICE_SPAN_MAX);
}

/*
 * Estimates the duration of the unit that begins by the unit before: its
 * duration, the shorter one if the last two differ (pictures), or in proportion
 * to its bytes (several audio frames).  A short overlap harms less than a
 * dropped unit.  A step that is suddenly more than twice as long contains lost
 * units.
 */
static void measure(struct splice_track *t, struct splice_unit *u,
		    int64_t step, uint32_t len)
{
	bool lost = u->step > 0 && t->span > 0 && step > 2 * (int64_t)u->step &&
		    step > 2 * (int64_t)t->span;
	uint64_t span = lost ? t->span : (uint64_t)step;
	int64_t wrong, frame;

	if (u->samples > 0 && u->rate == 0)
		u->rate = (uint32_t)((uint64_t)u->samples * HZ /
				     (uint64_t)step);
	wrong = step - span_of_samples(u, u->samples);
	frame = span_of_samples(u, AUDIO_SAMPLES);
	u->counted = u->samples > 0 && wrong < frame && wrong > -frame;
	t->slack = 0;
	if (u->len > 0 && len > 0) {
		span = MIN(span * len / u->len, SPLICE_SPAN_MAX);
		t->slack = (uint32_t)span / 4;
	} else if (u->step > 0) {
		span = MIN(span, u->step);
	}
	t->span = (uint32_t)span;
	u->earlier_step = u->step;
	u->step = (uint32_t)step;
}

void splice_unit_count(struct splice *s, const uint8_t *packet)
{
	struct splice_track *t = find_track(s, ts_pid(packet));
	const uint8_t *end = packet + TS_PACKET, *es;
	struct audio_frame frame;
	struct splice_unit *u;
	size_t len;

	if (t == NULL || ts_scrambling(packet))
		return;
	u = unit_of(s, t);
	if (ts_pusi(packet))
		u->skip = (struct pes_skip){ 0 };
	es = pes_skip(&u->skip, packet + ts_payload_offset(packet), end);
	if (es == NULL)
		return;
	len = (size_t)(end - es);
	while (audio_walk(&u->walk, &es, &len, &frame)) {
		u->samples = MIN(u->samples + frame.samples, SAMPLES_MOST);
		if (frame.rate > 0)
			u->rate = frame.rate;
	}
	if (!u->counted || u->samples == 0)
		return;
	t->span = span_of_samples(u, u->samples);
	t->slack = MIN(t->span, span_of_samples(u, AUDIO_SAMPLES / 2));
}

/* Notes a step of the DTS that exceeds the step before and the time passed. */
static void note_ahead(const struct splice *s, struct splice_unit *u,
		       int64_t step)
{
	uint64_t passed = (s->now_ns - u->at_ns) / 1000 * 9 / 100;
	int64_t most = u->step;

	if (passed > u->step + (uint64_t)PAUSE_LEAST)
		most = (int64_t)MIN(passed, PES_TIME_WRAP);
	if (u->step == 0 || step - most < AHEAD_LEAST)
		return;
	u->ahead = (uint32_t)MIN(step - most, INT32_MAX);
	u->ahead_ns = s->now_ns;
}

void splice_unit_amend(struct splice *s, size_t clock, int64_t ticks)
{
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		struct splice_track *t = &s->sent->tracks[i];
		struct splice_unit *u = &s->units[i];

		if (!t->used || t->clock != clock || ticks < AHEAD_LEAST ||
		    u->ahead_ns == 0 ||
		    s->now_ns - u->ahead_ns > AHEAD_FRESH_NS ||
		    u->ahead < ticks / 2)
			continue;
		t->dts = add(t->dts, -ticks);
		t->pts = add(t->pts, -ticks);
		t->span = t->slack = 0;
		u->ahead_ns = 0;
	}
}

static void note(struct splice *s, const uint8_t *packet,
		 const struct pes_times *at)
{
	uint16_t pid = ts_pid(packet);
	struct splice_track *t = find_track(s, pid);
	uint64_t dts = moved(s, packet, at->dts);
	uint64_t pts = moved(s, packet, at->pts);
	bool first = t == NULL;
	enum pid_class class = class_of(s, packet);
	size_t rest;
	const uint8_t *pes = pes_find(packet, &rest);
	uint32_t whole = (uint32_t)pes[4] << 8 | pes[5];
	uint32_t head = 3U + pes[8];
	/* bytes of audio in the unit; 0: it is no audio, or its length is
	 * unknown */
	uint32_t len = class == PID_AUDIO && whole > head ? whole - head : 0;

	if (first)
		t = make_track(s, pid);

	struct splice_unit *u = unit_of(s, t);
	const struct splice_clock *c = &s->sent->clocks[s->pids[pid].clock];
	int64_t step = diff(dts, t->dts);

	if (!first && u->cut == s->cut)
		note_ahead(s, u, step);
	if (!first && u->cut == s->cut && step > 0 && step <= SPLICE_SPAN_MAX)
		measure(t, u, step, len);
	u->at_ns = s->now_ns;
	u->len = len;
	u->samples = 0;
	t->dts = dts;
	if (first || u->cut != s->cut || diff(pts, t->pts) > 0)
		t->pts = pts;
	t->at_packets = s->sent->packets;
	/* a PCR that is older than LEAD_FRESH_NS does not count */
	if (!c->used)
		u->lead = SPLICE_LEAD_UNKNOWN;
	else if (s->now_ns - c->at_ns < LEAD_FRESH_NS)
		u->lead = diff(dts, c->pcr / PCR_PER_TICK);
	else if (u->cut != s->cut)
		u->lead = diff(dts, splice_clock_at(c, s->now_ns) /
				    PCR_PER_TICK);
	if (u->cut == s->cut)
		return;
	u->cut = s->cut;
	u->walk = (struct audio_walk){ 0 };
	u->waits = false;
	u->leading = splice_is_announced(s) && class == PID_VIDEO;
	u->floor = pes_time(packet + at->pts);
}

unsigned splice_unit_begin(struct splice *s, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	struct splice_track *t = find_track(s, pid);
	unsigned verdict = SPLICE_KEEP;
	struct splice_unit *u;
	struct pes_times at;
	size_t len;

	if (pes_find(packet, &len) == NULL)
		return SPLICE_KEEP;
	if (s->pending[s->pids[pid].clock] && !splice_unit_stays(s, packet))
		return 0;
	/* a unit without a time belongs to the unit before */
	if (!pes_times(packet, &at))
		return s->pids[pid].flags & PID_DROP ? 0 : SPLICE_KEEP;
	u = t != NULL ? unit_of(s, t) : NULL;
	/* after a cut, a unit that jumps is dropped: a PCR of the new clock may
	 * follow */
	if (splice_is_recent(s) && s->kind != SPLICE_NO_CUT &&
	    (u == NULL || u->cut != s->cut) &&
	    splice_unit_jumps(s, packet, NULL))
		return 0;
	if (u != NULL && u->cut == s->cut) {
		/* pictures shown before the random access point follow it at
		 * once in decoding order; the first other one ends them */
		u->leading = u->leading &&
			     diff(pes_time(packet + at.pts), u->floor) < 0;
		if (u->leading)
			return 0;
	} else if (u != NULL) {
		if (s->kind != SPLICE_LAP)
			u->extra = 0;
		verdict = join(s, t, packet, &at);
	}
	if (verdict & SPLICE_KEEP)
		note(s, packet, &at);
	return verdict;
}

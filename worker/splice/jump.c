/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes cuts: finds jumps of the source, and places the clocks after a cut. */
#include "worker/splice/machine.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <string.h>

void splice_rewrite(struct splice *s)
{
	if (s->buffer == NULL)
		s->buffer = xcalloc(SPLICE_CHUNK, TS_PACKET);
	if (s->state == SPLICE_RELAY)
		s->state = SPLICE_REWRITE;
}

void splice_forget_ahead(struct splice *s)
{
	s->no_jump_to = s->known_to = s->joined_to = 0;
	s->no_sign = s->no_other_clock = false;
}

void splice_begin_cut(struct splice *s, enum splice_cut_kind kind)
{
	splice_follow_unlisted(s);
	s->cut = s->cut == UINT16_MAX ? 1 : (uint16_t)(s->cut + 1);
	s->kind = kind;
	s->since_ns = 0;
	s->move.at_ns = 0; /* after a cut, no counter shows a loss */
	splice_forget_ahead(s);
	s->sent->cuts++;
	s->counters.cuts++;
	splice_rewrite(s);
	if (kind == SPLICE_LAP)
		return;
	s->n_pending = 0;
	memset(s->bystander, 0, sizeof s->bystander);
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		/* another source has another usual distance of its PCRs */
		s->watches[i] = (struct splice_watch){
			.usual = kind == SPLICE_JUMP ? s->watches[i].usual : 0,
		};
		s->pending[i] = s->sent->clocks[i].used;
		s->unsettled[i] = false;
		s->n_pending += s->pending[i];
	}
}

/* True if the clock is a bystander and this PCR continues it.  If not, the
 * bystander has jumped, too, and its tracks are cut. */
static bool continues(struct splice *s, size_t clock, uint64_t pcr)
{
	const struct splice_clock *c = &s->sent->clocks[clock];

	if (!s->bystander[clock])
		return false;
	s->bystander[clock] = false;
	if (splice_clock_gap(c, pcr) > 0 && splice_clock_room(c, pcr) >= 0)
		return true;
	for (size_t i = 0; i < SPLICE_TRACKS; i++)
		if (s->sent->tracks[i].clock == clock)
			s->units[i].cut = 0;
	return false;
}

bool splice_unit_stays(struct splice *s, const uint8_t *packet)
{
	const struct splice_pid *ps = &s->pids[ts_pid(packet)];
	const struct splice_unit *u;
	struct pes_times at;

	if (!s->bystander[ps->clock])
		return false;
	if (!pes_times(packet, &at))
		return true;
	u = &s->units[MAX(ps->track, 1U) - 1];
	if (ps->track == 0 || u->cut != s->cut ||
	    u->lead == SPLICE_LEAD_UNKNOWN || splice_unit_is_odd(s, packet) ||
	    splice_unit_leaves_clock(s, packet, NULL))
		return false;
	s->bystander[ps->clock] = s->pending[ps->clock] = false;
	s->n_pending--;
	return true;
}

/* Places a clock by its first PCR after a cut.  packets: number of packets sent
 * before this PCR. */
static void place(struct splice *s, size_t i, uint64_t pcr, uint64_t packets)
{
	struct splice_clock *c = &s->sent->clocks[i];
	uint64_t before = c->offset + c->lift;

	if (!continues(s, i, pcr))
		splice_clock_join_pcr(c, pcr, (struct splice_moment){
						      .ns = s->now_ns,
						      .packets = packets,
					      });
	if (s->kind == SPLICE_JUMP)
		splice_unit_amend(s, i,
				  wrap_diff(before, c->offset + c->lift,
					    PES_TIME_WRAP));
	if (s->pending[i])
		s->n_pending--;
	s->pending[i] = false;
	s->unsettled[i] = false;
	s->watches[i] = (struct splice_watch){
		.usual = s->watches[i].usual,
		.room = splice_clock_room(c, pcr),
	};
}

/* Has a unit of a track of this clock gone out since the cut? */
static bool has_units(const struct splice *s, size_t clock)
{
	for (size_t i = 0; i < SPLICE_TRACKS; i++)
		if (s->sent->tracks[i].used && s->units[i].cut == s->cut &&
		    s->sent->tracks[i].clock == clock)
			return true;
	return false;
}

/* Checks the place of a clock that was derived from a phase: if its first PCR
 * does not fit the output, the PCR places the clock instead.  Changes nothing
 * once units of the clock were sent. */
static void settle_ahead(struct splice *s, size_t i, uint64_t pcr)
{
	struct splice_clock *c = &s->sent->clocks[i];
	enum splice_fit fit = splice_clock_fit(c, pcr, s->now_ns);

	if (has_units(s, i) ||
	    (s->state == SPLICE_CATCH_UP && splice_clock_gap(c, pcr) <= 0))
		return;
	if (fit == SPLICE_FIT_STEP || fit == SPLICE_FIT_WRONG)
		splice_clock_join_pcr(c, pcr, splice_moment(s));
}

bool splice_awaits_pcrs(const struct splice *s)
{
	return s->n_pending > 0 ||
	       (s->kind != SPLICE_LAP && splice_is_recent(s) &&
		memchr(s->unsettled, true, sizeof s->unsettled) != NULL);
}

void splice_place(struct splice *s, struct splice_cursor c)
{
	uint64_t pcr, packets = s->sent->packets;
	bool wanted[SPLICE_CLOCKS];
	size_t n = 0;

	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		wanted[i] = s->pending[i] ||
			    (s->unsettled[i] && s->kind != SPLICE_LAP);
		n += wanted[i];
	}
	for (size_t k = 0; k < SPLICE_AHEAD && n > 0; k++) {
		const uint8_t *p = splice_cursor_get(&c);
		int i = -1;

		if (ts_sync_ok(p) && !ts_tei(p) && ts_pcr(p, &pcr))
			i = splice_clock_of_pcr(s, ts_pid(p));
		if (i >= 0 && wanted[i]) {
			if (s->pending[i])
				place(s, (size_t)i, pcr, packets);
			else
				settle_ahead(s, (size_t)i, pcr);
			wanted[i] = false;
			n--;
		}
		packets++;
		if (!splice_cursor_next(&c))
			return;
	}
}

bool splice_jumps_ahead(const struct splice *s, size_t i, uint64_t pcr)
{
	return splice_is_settled(s, i) &&
	       splice_judge_pcr(s, i, (struct splice_reading){ .pcr = pcr },
				true) == SPLICE_PCR_JUMP;
}

/* True if the PES that begins here fits the clock as it was, but not the next
 * PCR, which jumps.  The jump is then behind this PES.  For a PES behind lost
 * packets. */
static bool is_before_jump(const struct splice *s, const uint8_t *packet,
			   uint64_t pcr)
{
	return splice_unit_leaves_clock(s, packet, &pcr) &&
	       !splice_unit_leaves_clock(s, packet, NULL);
}

/* For a jump that a PCR shows and no unit: true unless a later PCR contradicts
 * it. */
static bool is_confirmed(struct splice *s, const struct splice_cursor *here,
			 const struct splice_cursor *pcr, size_t clock)
{
	return splice_confirm(s, pcr, clock, pcr->index - here->index) !=
	       SPLICE_CONTINUES;
}

/* Makes a cut because this clock jumped; the other clocks may continue.  clock
 * -1: the source is another one, and no clock continues. */
static void begin_jump(struct splice *s, int clock)
{
	const uint16_t before = s->cut;

	s->counters.jumps++;
	splice_begin_cut(s, SPLICE_JUMP);
	for (int i = 0; clock >= 0 && i < SPLICE_CLOCKS; i++) {
		if (i == clock)
			continue;
		s->bystander[i] = s->pending[i];
		for (size_t k = 0; k < SPLICE_TRACKS; k++)
			if (s->sent->tracks[k].clock == i &&
			    s->units[k].cut == before)
				s->units[k].cut = s->cut;
	}
}

void splice_cut_here(struct splice *s, const struct splice_cursor *c, int clock)
{
	begin_jump(s, clock);
	splice_place(s, *c);
}

bool splice_has_gap(const struct splice *s, const uint8_t *p)
{
	const struct splice_pid *pid = &s->pids[ts_pid(p)];
	unsigned step = (unsigned)(ts_cc(p) - pid->cc) & 0x0f;

	return pid->cut == s->cut && ts_has_payload(p) && step != 1;
}

/* Is a table of another source among the next packets?  Needed after a restart
 * with other PIDs, when no PCR of a known clock arrives. */
static bool has_other_tables(const struct splice *s, struct splice_cursor c)
{
	for (size_t k = 0; k < SPLICE_AHEAD; k++) {
		if (splice_is_other_table(s, splice_cursor_get(&c)))
			return true;
		if (!splice_cursor_next(&c))
			return false;
	}
	return false;
}

/* --- jumps --- */

/* Notes a gap in the counter of a PID. */
static void watch_counter(struct splice *s, const uint8_t *p)
{
	const struct splice_pid *pid = &s->pids[ts_pid(p)];
	unsigned step = (unsigned)(ts_cc(p) - pid->cc) & 0x0f;
	struct splice_watch *w = &s->watches[pid->clock];

	if (step <= (ts_has_payload(p) ? 1U : 0U) || pid->cut != s->cut)
		return;
	/* with a discontinuity_indicator the counter may restart */
	if (s->sent->clocks[pid->clock].pid == ts_pid(p))
		w->gap = !ts_discontinuity(p);
	else
		w->lost = true;
}

/* Was a late PCR of this clock dropped a short time ago? */
static bool was_late(const struct splice *s, size_t clock)
{
	const uint64_t late_ns = s->watches[clock].late_ns;

	return late_ns != 0 &&
	       s->now_ns - late_ns < 2 * SPLICE_DOUBT_MS * SPLICE_MS;
}

/* May a unit wait for the next PCR, which shows whether its clock has jumped?
 * Notes the time if it may. */
static bool may_wait(struct splice *s, const uint8_t *unit, size_t clock)
{
	const bool far = splice_unit_leaves_clock(s, unit, NULL);
	const uint64_t calm_ms = far ? SPLICE_FAR_MS : SPLICE_ODD_MS;
	struct splice_watch *w = &s->watches[clock];
	uint64_t *last_ns = far ? &w->far_ns : &w->odd_ns;

	if (s->state == SPLICE_JUDGE || s->state == SPLICE_CATCH_UP ||
	    s->n_pending > 0 || !splice_is_settled(s, clock) ||
	    !s->sent->clocks[clock].used ||
	    (*last_ns != 0 && s->now_ns - *last_ns < calm_ms * SPLICE_MS &&
	     !was_late(s, clock)))
		return false;
	*last_ns = s->now_ns;
	return true;
}

/* True if a PCR was late and dropped, and now the DTS is late as well: the
 * clock went back by less than the distance of its PCRs.  Then the offset of
 * the clock grows by that step. */
static bool steps_back(struct splice *s, const uint8_t *unit, size_t clock,
		       uint64_t pcr)
{
	struct splice_clock *k = &s->sent->clocks[clock];
	struct splice_watch *w = &s->watches[clock];
	int64_t ticks = splice_unit_late_by(s, unit);

	if (!was_late(s, clock) || ticks <= 0 ||
	    300 * ticks > splice_clock_room(k, pcr))
		return false;
	splice_clock_shift(k, (uint64_t)ticks);
	w->late = false;
	w->late_ns = w->odd_ns = w->far_ns = 0;
	s->counters.jumps++;
	splice_rewrite(s);
	return true;
}

/* Judges a unit at the cursor whose DTS does not continue: by the next PCR,
 * which may not have arrived yet. */
static enum splice_sign judge_odd(struct splice *s, const uint8_t *unit,
				  const struct splice_cursor *c, size_t clock)
{
	struct splice_cursor ahead = *c;
	enum splice_pcr is;
	uint64_t pcr;

	if (!splice_find_pcr(s, &ahead, clock, &pcr))
		return may_wait(s, unit, clock) ? SPLICE_UNDECIDED
						: SPLICE_CONTINUES;
	is = splice_judge_pcr(s, clock,
			      splice_reading(s, clock, pcr,
					     ahead.index - c->index), false);
	if (is == SPLICE_PCR_GOOD && splice_is_settled(s, clock) &&
	    steps_back(s, unit, clock, pcr))
		return SPLICE_CUTS;
	/* A late PCR alone may only be out of order.  Here the DTS does not
	 * continue either, so the clock has jumped. */
	if (!splice_is_settled(s, clock) ||
	    (is != SPLICE_PCR_JUMP && is != SPLICE_PCR_LATE))
		return SPLICE_CONTINUES;
	splice_cut_here(s, c, (int)clock);
	return SPLICE_CUTS;
}

/* For a unit that jumps, whose clock was placed without a PCR and has sent
 * units since: does the first PCR, which comes behind the unit, jump, too? */
static bool jumps_unsettled(const struct splice *s, size_t clock, uint64_t pcr)
{
	enum splice_fit fit;

	if (s->pending[clock] || !s->unsettled[clock] || !has_units(s, clock))
		return false;
	fit = splice_clock_fit(&s->sent->clocks[clock], pcr, s->now_ns);
	return fit == SPLICE_FIT_WRONG || fit == SPLICE_FIT_STEP;
}

enum splice_sign splice_find_jump(struct splice *s,
				  const struct splice_cursor *c)
{
	const uint8_t *p = splice_cursor_get(c);
	size_t clock = s->pids[ts_pid(p)].clock;
	struct splice_cursor ahead = *c;
	uint8_t joined[TS_PACKET];
	const uint8_t *unit = splice_split_join(s, p, joined);
	enum splice_sign sign;
	bool jumps, known, cuts;
	uint64_t pcr;

	if (s->config.keep_jumps)
		return SPLICE_CONTINUES;
	sign = splice_judge_foreign(s, unit, c);
	if (sign != SPLICE_CONTINUES)
		return sign;
	watch_counter(s, p);
	if (ts_pcr(p, &pcr))
		sign = splice_judge_jump(s, c, pcr);
	if (sign != SPLICE_CONTINUES)
		return sign;
	jumps = splice_unit_jumps(s, unit, NULL);
	if (!jumps && !splice_has_gap(s, p))
		return splice_unit_is_odd(s, unit)
			? judge_odd(s, unit, c, clock) : SPLICE_CONTINUES;
	if (!jumps && c->index < s->no_jump_to)
		return SPLICE_CONTINUES;
	known = splice_find_pcr(s, &ahead, clock, &pcr);
	if (known && splice_jumps_ahead(s, clock, pcr)) {
		/* the jump is at a later packet in front of that PCR */
		if (!jumps && is_before_jump(s, unit, pcr))
			return SPLICE_CONTINUES;
		cuts = jumps || is_confirmed(s, c, &ahead, clock);
	} else if (known && jumps && jumps_unsettled(s, clock, pcr)) {
		cuts = true;
	} else {
		cuts = !known && has_other_tables(s, *c);
	}
	if (cuts) {
		splice_cut_here(s, c, known ? (int)clock : -1);
		return SPLICE_CUTS;
	}
	if (!known && !jumps && splice_is_restarted(s, *c)) {
		splice_begin_cut(s, SPLICE_LAP);
		return SPLICE_CUTS;
	}
	if (!known && jumps && may_wait(s, unit, clock))
		return SPLICE_UNDECIDED;
	s->no_jump_to = ahead.index;
	if (!jumps || !splice_unit_jumps(s, unit, known ? &pcr : NULL) ||
	    !splice_unit_rejoin(s, unit))
		return SPLICE_CONTINUES;
	s->counters.jumps++;
	s->counters.cuts++;
	s->sent->cuts++;
	splice_rewrite(s);
	return SPLICE_CUTS;
}

/* Notes a late PCR, which goes out only if jumps are kept. */
static unsigned drop_late(struct splice *s, int i, uint64_t pcr)
{
	s->watches[i].late = true;
	s->watches[i].late_pcr = pcr;
	s->watches[i].late_ns = s->now_ns;
	return s->config.keep_jumps ? 0 : SPLICE_NO_PCR;
}

/* Takes the first PCR of a clock that was placed without one.  Its offset
 * stays, because units may have been sent with it, unless the PCR goes back or
 * shows that the offset is wrong.  Returns bits of enum splice_verdict. */
static unsigned settle(struct splice *s, size_t i, uint64_t pcr)
{
	struct splice_clock *c = &s->sent->clocks[i];

	switch (splice_clock_fit(c, pcr, s->now_ns)) {
	case SPLICE_FIT_GOOD:
		return 0;
	case SPLICE_FIT_BACK:
		splice_clock_raise(c, pcr);
		return 0;
	case SPLICE_FIT_STEP:
		return SPLICE_BREAK;
	case SPLICE_FIT_WRONG:
		break;
	}
	if (s->state == SPLICE_DRAIN)
		return SPLICE_NO_PCR;
	begin_jump(s, (int)i);
	place(s, i, pcr, s->sent->packets);
	return 0;
}

unsigned splice_note_pcr(struct splice *s, const uint8_t *packet)
{
	struct splice_moment at = splice_moment(s);
	unsigned verdict = 0;
	struct splice_clock *c;
	enum splice_pcr is;
	uint64_t pcr;
	int i;

	if (!ts_pcr(packet, &pcr))
		return 0;
	if (s->doubt_ns != 0)
		at.ns = s->doubt_ns;
	s->doubt_ns = 0;
	if (s->wrong_pcr) {
		s->wrong_pcr = false;
		return SPLICE_NO_PCR;
	}
	i = splice_clock_of_pcr(s, ts_pid(packet));
	if (i < 0 && s->pending[s->pids[ts_pid(packet)].clock])
		return SPLICE_NO_PCR;
	if (i < 0) {
		splice_note_unlisted(s, packet, pcr);
		return 0;
	}
	c = &s->sent->clocks[i];
	is = splice_judge_pcr(s, (size_t)i,
			      splice_reading(s, (size_t)i, pcr, 0), false);
	if (s->pending[i])
		place(s, (size_t)i, pcr, s->sent->packets);
	else if (s->state == SPLICE_CATCH_UP &&
		 (is == SPLICE_PCR_LATE || is == SPLICE_PCR_REPEATED))
		return SPLICE_NO_PCR;
	else if (s->unsettled[i] && s->kind != SPLICE_LAP)
		verdict = settle(s, (size_t)i, pcr);
	else if (is == SPLICE_PCR_JUMP && s->state == SPLICE_DRAIN)
		/* the previous source is ending: its clock is not placed
		 * again */
		return SPLICE_NO_PCR;
	else if (is == SPLICE_PCR_REPEATED)
		return 0;
	else if (is == SPLICE_PCR_LATE)
		return drop_late(s, i, pcr);
	if (verdict & SPLICE_NO_PCR)
		return verdict;
	s->unsettled[i] = false;
	splice_watch_note(&s->watches[i], c, pcr,
			  at.packets - c->at_packets);
	/* The arrival of packets that waited is not measured, nor that of
	 * packets that waited for the rest of a PES header. */
	splice_clock_note(c, pcr, at,
			  s->state != SPLICE_CATCH_UP && !s->split_waited);
	return verdict;
}

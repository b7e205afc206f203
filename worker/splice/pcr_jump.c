/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds PCRs that jump; the next PCR of the clock confirms or contradicts the
 * jump. */
#include "worker/splice/machine.h"

#include "common/base/util.h"
#include "worker/ts/pcr.h"

struct splice_reading splice_reading(const struct splice *s, size_t i,
				     uint64_t pcr, size_t ahead)
{
	const struct splice_clock *c = &s->sent->clocks[i];
	struct splice_reading r = { .pcr = pcr };

	/* On a PID without payload the counter stands still, so a loss does not
	 * show: then packets stays 0, unknown. */
	if ((s->pids[c->pid].flags & PID_UNIT) && !s->watches[i].lost)
		r.packets = s->sent->packets + ahead - c->at_packets;
	return r;
}

enum splice_pcr splice_judge_pcr(const struct splice *s, size_t i,
				 struct splice_reading r, bool gap)
{
	const struct splice_clock *c = &s->sent->clocks[i];
	struct splice_watch w = s->watches[i];

	if (!c->used)
		return SPLICE_PCR_GOOD;
	/* held packets arrived before now_ns: the more tolerant limits apply */
	w.gap |= gap || s->state == SPLICE_CATCH_UP;
	return splice_clock_judge(c, &w, r, s->now_ns);
}

/* Moves the cursor to the first PCR of the clock among this number of packets,
 * and writes the PCR to *ret.  False: there is none. */
static bool find_within(struct splice *s, struct splice_cursor *c, size_t clock,
			size_t packets, uint64_t *ret)
{
	for (size_t k = 0; k < packets; k++) {
		const uint8_t *p = splice_cursor_get(c);

		if (ts_sync_ok(p) && !ts_tei(p) && ts_pcr(p, ret) &&
		    splice_clock_of_pcr(s, ts_pid(p)) == (int)clock)
			return true;
		if (!splice_cursor_next(c))
			return false;
	}
	return false;
}

bool splice_find_pcr(struct splice *s, struct splice_cursor *c, size_t clock,
		     uint64_t *ret)
{
	return find_within(s, c, clock, SPLICE_AHEAD, ret);
}

enum splice_sign splice_confirm(struct splice *s,
				const struct splice_cursor *odd, size_t clock,
				size_t packets)
{
	const struct splice_clock *k = &s->sent->clocks[clock];
	struct splice_cursor c = *odd;
	struct splice_reading first, next;

	if (!ts_pcr(splice_cursor_get(odd), &first.pcr))
		return SPLICE_UNDECIDED;
	/* an equal PCR, as in a duplicate packet, confirms nothing */
	do {
		if (!splice_cursor_next(&c) ||
		    !find_within(s, &c, clock, SPLICE_HELD_MAX, &next.pcr))
			return SPLICE_UNDECIDED;
	} while (next.pcr == first.pcr);
	first.packets = s->sent->packets + packets - k->at_packets;
	next.packets = c.index - odd->index;
	return splice_clock_contradicts(k, &s->watches[clock], first, next,
					s->now_ns)
		? SPLICE_CONTINUES : SPLICE_CUTS;
}

/* May this PCR, which jumps, wait for the next one?  A discontinuity_indicator
 * or a late PCR before it confirms the jump at once. */
static bool may_doubt(const struct splice *s, const uint8_t *p, size_t clock)
{
	const uint64_t doubt_ns = SPLICE_DOUBT_MS * (uint64_t)SPLICE_MS;

	return s->state != SPLICE_JUDGE && s->state != SPLICE_CATCH_UP &&
	       s->n_pending == 0 && !ts_discontinuity(p) &&
	       !s->watches[clock].late &&
	       (s->doubt_ns == 0 || s->now_ns - s->doubt_ns < doubt_ns);
}

/* Makes a cut in front of a PCR that jumps, unless the next PCR contradicts it
 * or the PCR has to wait for the next one. */
static enum splice_sign decide(struct splice *s, const struct splice_cursor *c,
			       size_t clock)
{
	const uint64_t now_ns = s->now_ns;
	enum splice_sign sign = splice_confirm(s, c, clock, 0);

	if (sign == SPLICE_UNDECIDED &&
	    may_doubt(s, splice_cursor_get(c), clock)) {
		if (s->doubt_ns == 0)
			s->doubt_ns = now_ns;
		return SPLICE_UNDECIDED;
	}
	if (sign == SPLICE_CONTINUES) {
		s->wrong_pcr = true;
		splice_rewrite(s);
		return SPLICE_CUTS;
	}
	/* the clock is placed for the time at which this PCR arrived */
	if (s->doubt_ns != 0)
		s->now_ns = s->doubt_ns;
	splice_cut_here(s, c, (int)clock);
	s->now_ns = now_ns;
	return SPLICE_CUTS;
}

/* True if packets were lost in front of the PCR at the cursor: the first packet
 * of some PID of its clock behind the PCR has a gap in its counter. */
static bool shows_loss(const struct splice *s, struct splice_cursor c,
		       size_t clock)
{
	bool seen[TS_PIDS] = { false };

	for (unsigned k = 0; k < SPLICE_AHEAD; k++) {
		const uint8_t *p = splice_cursor_get(&c);
		uint16_t pid = ts_pid(p);

		if (ts_sync_ok(p) && !ts_tei(p) && !seen[pid] &&
		    s->pids[pid].clock == clock) {
			if (splice_has_gap(s, p))
				return true;
			seen[pid] = ts_has_payload(p);
		}
		if (!splice_cursor_next(&c))
			break;
	}
	return false;
}

enum splice_sign splice_judge_jump(struct splice *s,
				   const struct splice_cursor *c, uint64_t pcr)
{
	int i = splice_clock_of_pcr(s, ts_pid(splice_cursor_get(c)));
	const uint64_t now_ns = s->now_ns;
	struct splice_reading r;
	enum splice_pcr is;

	if (i < 0)
		return SPLICE_CONTINUES;
	if (s->doubt_ns != 0)
		s->now_ns = s->doubt_ns;
	r = splice_reading(s, (size_t)i, pcr, 0);
	is = splice_judge_pcr(s, (size_t)i, r, false);
	/* before the PCR is called a jump, the packets behind it are checked
	 * for a loss */
	if (is == SPLICE_PCR_JUMP && r.packets > 0 &&
	    shows_loss(s, *c, (size_t)i)) {
		r.packets = 0;
		is = splice_judge_pcr(s, (size_t)i, r, false);
	}
	s->now_ns = now_ns;
	if (is == SPLICE_PCR_JUMP && splice_is_settled(s, (size_t)i))
		return decide(s, c, (size_t)i);
	if (is != SPLICE_PCR_LATE || s->buffer != NULL)
		return SPLICE_CONTINUES;
	splice_rewrite(s);
	return SPLICE_CUTS;
}

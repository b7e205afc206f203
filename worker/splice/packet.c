/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one packet means for its PID: counters, and units that come whole. */
#include "worker/splice/parts.h"

#include "common/base/util.h"

/* Counts so that a packet of this counter is the one that is expected. */
static void expect(struct splice *s, struct splice_pid *ps, const uint8_t *p)
{
	unsigned before = (ts_cc(p) - (ts_has_payload(p) ? 1U : 0U)) & 0x0f;

	ps->cc = (uint8_t)before;
	if (!(s->sent->cc[ts_pid(p)] & SPLICE_CC_SEEN))
		splice_set_cc(s, ts_pid(p), before);
}

/* The first packet of a PID, ever or behind a cut. */
static void begin_pid(struct splice *s, struct splice_pid *ps,
		      const uint8_t *p)
{
	bool known = ps->cut != 0, starts = ts_pusi(p) || !ts_has_payload(p);
	unsigned step = (unsigned)(ts_cc(p) - ps->cc) & 0x0f;
	bool goes_on = known && step == (ts_has_payload(p) ? 1 : 0);

	ps->cut = s->cut;
	if (s->kind == SPLICE_NONE || !known) {
		expect(s, ps, p);
		if (s->kind == SPLICE_ANNOUNCED && !starts)
			ps->flags |= PID_WAIT;
		return;
	}
	if (goes_on && s->kind != SPLICE_ANNOUNCED)
		return;
	expect(s, ps, p);
	ps->left = 0;
	ps->flags &= (uint8_t)~(PID_WAIT | PID_DROP | PID_OPEN);
	if ((ps->flags & PID_UNIT) && !starts)
		ps->flags |= PID_WAIT;
}

/* How many bytes of the unit that begins here are still to come. */
static void measure_unit(struct splice_pid *ps, const uint8_t *p)
{
	size_t len;
	const uint8_t *pes = pes_find(p, &len);
	size_t whole;

	if (pes == NULL) {
		if (ts_scrambling(p))
			ps->flags |= PID_OPEN;
		return;
	}
	whole = (size_t)pes[4] << 8 | pes[5];
	if (whole == 0)
		ps->flags |= PID_OPEN;
	else if (whole + 6 > len)
		ps->left = (uint16_t)MIN(whole + 6 - len, UINT16_MAX);
}

static bool is_cue(const struct splice *s, uint16_t pid)
{
	return psi_class(s->psi, pid) == PID_DATA &&
	       psi_stream_type(s->psi, pid) == CUE_STREAM_TYPE;
}

/* A packet with PUSI; false when the unit is left out. */
static bool begin_unit(struct splice *s, struct splice_pid *ps,
		       const uint8_t *p)
{
	bool keep = true;

	if (psi_class(s->psi, ts_pid(p)) == PID_PSI) {
		ps->flags |= PID_TABLE;
	} else {
		ps->flags &= (uint8_t)~PID_TABLE;
		keep = splice_unit_begin(s, p);
	}
	ps->flags &= (uint8_t)~(PID_WAIT | PID_DROP | PID_OPEN);
	ps->flags |= PID_UNIT | (keep ? 0 : PID_DROP);
	ps->left = 0;
	ps->flags &= (uint8_t)~(PID_FRAMES | PID_CUES);
	if (psi_class(s->psi, ts_pid(p)) == PID_AUDIO)
		ps->flags |= PID_FRAMES;
	else if (is_cue(s, ts_pid(p)))
		ps->flags |= PID_CUES;
	if (keep && !(ps->flags & PID_TABLE))
		measure_unit(ps, p);
	return keep;
}

void splice_count(struct splice *s, const uint8_t *p, bool keep)
{
	struct splice_pid *ps = &s->pids[ts_pid(p)];
	unsigned cc = ts_cc(p);
	unsigned step = (cc - ps->cc) & 0x0f;
	unsigned last = s->sent->cc[ts_pid(p)];

	ps->cc = (uint8_t)cc;
	/* what is left out must not show; what was lost before it must */
	if (!keep && step > 0)
		step--;
	splice_set_cc(s, ts_pid(p), last + step);
}

bool splice_admit(struct splice *s, const uint8_t *p)
{
	struct splice_pid *ps = &s->pids[ts_pid(p)];
	bool keep = true;

	s->goes_back = false;
	s->drop_pcr = false;
	if (ps->cut != s->cut)
		begin_pid(s, ps, p);
	if (ts_tei(p)) {
		splice_count(s, p, true);
		return true;
	}
	if (ts_has_adaptation(p))
		s->drop_pcr = !splice_note_pcr(s, p);
	if (ts_has_payload(p)) {
		if (ts_pusi(p)) {
			keep = begin_unit(s, ps, p);
		} else {
			splice_unit_goes_on(ps, p);
			if (!splice_has_patience(s))
				ps->flags &= (uint8_t)~PID_WAIT;
			keep = !(ps->flags & (PID_WAIT | PID_DROP));
		}
		if (keep && (ps->flags & PID_FRAMES))
			splice_unit_count(s, p);
	}
	splice_count(s, p, keep);
	return keep;
}

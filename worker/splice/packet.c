/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides whether a packet is sent, and updates the continuity counter and the
 * unit of its PID. */
#include "worker/splice/machine.h"

#include "common/base/util.h"

/* Sets the counters so that this packet is the expected one. */
static void expect(struct splice *s, struct splice_pid *ps, const uint8_t *p)
{
	unsigned before = (ts_cc(p) - (ts_has_payload(p) ? 1U : 0U)) & 0x0f;

	ps->cc = (uint8_t)before;
	if (!(s->sent->cc[ts_pid(p)] & SPLICE_CC_SEEN))
		splice_set_cc(s, ts_pid(p), before);
}

/* Notes the first packet of a PID in the stream or after a cut. */
static void begin_pid(struct splice *s, struct splice_pid *ps,
		      const uint8_t *p)
{
	bool known = ps->cut != 0, starts = ts_pusi(p) || !ts_has_payload(p);
	unsigned step = (unsigned)(ts_cc(p) - ps->cc) & 0x0f;
	bool continues = known && step == (ts_has_payload(p) ? 1 : 0);

	ps->cut = s->cut;
	if (s->kind == SPLICE_NO_CUT || !known) {
		expect(s, ps, p);
		if (splice_is_announced(s) && !starts)
			ps->flags |= PID_WAIT;
		return;
	}
	if (continues && !splice_is_announced(s))
		return;
	expect(s, ps, p);
	ps->left = 0;
	ps->flags &= (uint8_t)~(PID_WAIT | PID_DROP | PID_OPEN);
	if ((ps->flags & PID_UNIT) && !starts)
		ps->flags |= PID_WAIT;
}

/* Must the unit be dropped, because its PES header is incomplete?  True if the
 * rest does not arrive, or the time stamps can be neither moved nor removed. */
static bool is_cut_off(struct splice *s, const uint8_t *p)
{
	struct pes_head head;

	if (s->buffer == NULL)
		return false;
	if (s->header != NULL)
		return !pes_split_can_drop(p) &&
		       !splice_split_fits(s, ts_pid(p));
	return pes_head_read(p, &head) == HEAD_WAITS &&
	       (s->ends || !pes_split_can_drop(p));
}

/* A packet with PUSI: a unit begins.  Returns bits of enum splice_verdict. */
static unsigned begin_unit(struct splice *s, struct splice_pid *ps,
			   const uint8_t *p)
{
	enum pid_class class = psi_class(s->psi, ts_pid(p));
	unsigned verdict = SPLICE_KEEP;
	size_t len, whole = 0;
	uint8_t joined[TS_PACKET];
	const uint8_t *unit = splice_split_join(s, p, joined);
	const uint8_t *pes = pes_find(unit, &len);

	if (unit != p)
		len = TS_PACKET - ts_payload_offset(p);
	if (class != PID_PSI)
		verdict = is_cut_off(s, p) ? 0 : splice_unit_begin(s, unit);
	ps->left = 0;
	ps->flags = PID_UNIT | (ps->flags & PID_DRAIN);
	if (!(verdict & SPLICE_KEEP))
		ps->flags |= PID_DROP;
	if (class == PID_PSI)
		ps->flags |= PID_TABLE;
	else if (class == PID_AUDIO)
		ps->flags |= PID_FRAMES;
	else if (class == PID_DATA &&
		 psi_stream_type(s->psi, ts_pid(p)) == CUE_STREAM_TYPE)
		ps->flags |= PID_CUES;
	if (class == PID_PSI || !(verdict & SPLICE_KEEP))
		return verdict;
	/* notes how many bytes of this unit follow, if its length is known */
	if (pes != NULL)
		whole = (size_t)pes[4] << 8 | pes[5];
	if (pes != NULL ? whole == 0 : ts_scrambling(p) != 0)
		ps->flags |= PID_OPEN;
	else if (pes != NULL && whole + 6 > len)
		ps->left = (uint16_t)MIN(whole + 6 - len, UINT16_MAX);
	return verdict;
}

void splice_count(struct splice *s, const uint8_t *p, bool keep)
{
	struct splice_pid *ps = &s->pids[ts_pid(p)];
	unsigned cc = ts_cc(p);
	unsigned step = (cc - ps->cc) & 0x0f;
	unsigned last = s->sent->cc[ts_pid(p)];

	ps->cc = (uint8_t)cc;
	/* a dropped packet must leave no gap, but a loss before it must */
	if (!keep && step > 0)
		step--;
	splice_set_cc(s, ts_pid(p), last + step);
}

unsigned splice_admit(struct splice *s, const uint8_t *p)
{
	struct splice_pid *ps = &s->pids[ts_pid(p)];
	unsigned verdict = SPLICE_KEEP, pcr = 0;

	if (ps->cut != s->cut) {
		/* the counter of a damaged packet may be wrong */
		if (ts_tei(p) && splice_is_announced(s))
			return 0;
		begin_pid(s, ps, p);
	}
	if (ts_tei(p)) {
		splice_count(s, p, true);
		return verdict;
	}
	if (ts_has_adaptation(p))
		pcr = splice_note_pcr(s, p);
	if (ts_has_payload(p)) {
		if (ts_pusi(p)) {
			verdict = begin_unit(s, ps, p);
		} else {
			splice_unit_continues(ps, p);
			if (!splice_is_recent(s))
				ps->flags &= (uint8_t)~PID_WAIT;
			if (ps->flags & (PID_WAIT | PID_DROP))
				verdict = 0;
		}
		if ((verdict & SPLICE_KEEP) && (ps->flags & PID_FRAMES))
			splice_unit_count(s, p);
	}
	splice_count(s, p, verdict & SPLICE_KEEP);
	return verdict | pcr;
}

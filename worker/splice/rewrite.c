/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the first packet on that must not pass unchanged: copies packets, and
 * changes or drops them. */
#include "worker/splice/machine.h"

#include "common/base/util.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"

#include <string.h>

enum {
	DISCONTINUITY = 0x80, /* discontinuity_indicator */
	/* A gap between PCRs that is longer than BRIDGE_FROM_MS and shorter
	 * than BRIDGE_MOST_MS is filled with PCRs every BRIDGE_STEP_MS. */
	BRIDGE_FROM_MS = 60,
	BRIDGE_STEP_MS = 30,
	BRIDGE_MOST_MS = 5000,
};

void splice_flush(struct splice *s)
{
	struct ts_run run = { .data = s->buffer, .n = s->n_buffer };

	s->n_buffer = 0;
	if (run.n > 0)
		s->config.out(&run, 1, s->config.arg);
}

uint8_t *splice_append(struct splice *s, const uint8_t *packet)
{
	uint8_t *copy;

	if (s->n_buffer == SPLICE_CHUNK)
		splice_flush(s);
	copy = s->buffer + s->n_buffer * TS_PACKET;
	memcpy(copy, packet, TS_PACKET);
	s->n_buffer++;
	s->sent->packets++;
	return copy;
}

void splice_follow_tables(struct splice *s, const uint8_t *packet)
{
	if (psi_class(s->psi, ts_pid(packet)) == PID_PSI &&
	    psi_feed(s->psi, packet))
		splice_programs_renew(s);
}

/*
 * Between two laps or files, the gap between PCRs may be longer than allowed.
 * Fills it with copies of the packet that have only a PCR.
 */
static void bridge_laps(struct splice *s, const uint8_t *p)
{
	const int64_t most = BRIDGE_MOST_MS * (int64_t)(PCR_HZ / 1000);
	const int64_t step = BRIDGE_STEP_MS * (int64_t)(PCR_HZ / 1000);
	const int64_t from = BRIDGE_FROM_MS * (int64_t)(PCR_HZ / 1000);
	struct splice_clock *c;
	uint64_t pcr;
	int i;

	if (!ts_pcr(p, &pcr))
		return;
	i = splice_clock_of_pcr(s, ts_pid(p));
	if (i < 0 || !s->unsettled[i])
		return;
	c = &s->sent->clocks[i];

	int64_t gap = splice_clock_gap(c, pcr);

	for (; gap > from && gap < most; gap -= step) {
		uint8_t *packet = splice_append(s, p);

		stamps_drop_payload(packet);
		ts_set_cc(packet, s->sent->cc[ts_pid(p)]);
		c->pcr = (c->pcr + (uint64_t)step) % PCR_WRAP;
		ts_set_pcr(packet, c->pcr);
	}
}

/* Returns the state of this PID, or a new one; NULL: there is no place.  A new
 * one replaces a state without a section only if no place is free. */
static struct cue *find_cue(struct splice *s, uint16_t pid)
{
	struct splice_cue *found = NULL;

	for (size_t i = 0; i < SPLICE_CUES; i++) {
		struct splice_cue *c = &s->cues[i];

		if (c->pid == pid)
			return &c->cue;
		if (c->pid == 0 ? found == NULL || found->pid != 0
				: found == NULL && c->cue.now.len == 0)
			found = c;
	}
	if (found == NULL)
		return NULL;
	*found = (struct splice_cue){ .pid = pid };
	return &found->cue;
}

static void change(struct splice *s, const uint8_t *p,
		   enum pes_head_sign sign,
		   const struct pes_split *header)
{
	uint16_t pid = ts_pid(p);
	uint64_t pcr;
	uint8_t *copy;
	unsigned verdict;

	if ((s->kind == SPLICE_LAP || s->config.keep_jumps) &&
	    ts_has_adaptation(p) && !ts_tei(p))
		bridge_laps(s, p);
	verdict = splice_admit(s, p);
	if (!(verdict & SPLICE_KEEP)) {
		s->counters.dropped++;
		if (!ts_pcr(p, &pcr) || (verdict & SPLICE_NO_PCR) || ts_tei(p))
			return;
	}
	copy = splice_append(s, p);
	if (!(verdict & SPLICE_KEEP))
		stamps_drop_payload(copy);
	ts_set_cc(copy, s->sent->cc[pid]);
	if (ts_tei(p))
		return;
	stamps_move(copy, splice_move_of(s, pid));
	if (s->n_splits > 0)
		splice_split_continue(s, copy, ts_cc(p));
	if ((verdict & SPLICE_KEEP) && ts_pusi(p))
		splice_split_begin(s, copy, sign, header,
				   splice_move_of(s, pid));
	if ((s->pids[pid].flags & PID_CUES) && ts_has_payload(copy) &&
	    !ts_scrambling(copy)) {
		struct cue *c = find_cue(s, pid);

		if (c != NULL)
			cue_move(c, copy, splice_move_of(s, pid).times);
	}
	if (verdict & SPLICE_NO_PCR)
		stamps_drop_pcr(copy);
	/* a cut joins the clocks, so soon after it the output has no break
	 * where the source announces its new clock */
	if (ts_discontinuity(copy) && splice_is_just_cut(s))
		copy[5] &= (uint8_t)~DISCONTINUITY;
	if ((verdict & SPLICE_BREAK) && ts_adaptation_flags(copy) != 0)
		copy[5] |= DISCONTINUITY;
	splice_follow_tables(s, copy);
}

/* Sends a packet for which splice_is_plain() is false.  False: it has to
 * wait. */
static bool change_packet(struct splice *s, const struct splice_cursor *c,
			  bool checked)
{
	const uint8_t *p = splice_cursor_get(c);
	struct pes_split header;
	enum pes_head_sign sign = splice_split_read(s, c, &header);
	bool waits;

	s->split_waits = sign == HEAD_WAITS;
	if (s->split_waits)
		return false;
	s->header = sign == HEAD_WHOLE ? &header : NULL;
	waits = !checked && !ts_tei(p) &&
		splice_find_jump(s, c) == SPLICE_UNDECIDED;
	if (!waits)
		change(s, p, sign, &header);
	s->header = NULL;
	return !waits;
}

/* Sends the packet at the cursor.  False: it has to wait, and so must all
 * packets behind it. */
static bool move_packet(struct splice *s, const struct splice_cursor *c,
			bool checked)
{
	const uint8_t *p = splice_cursor_get(c);
	uint16_t pid = ts_pid(p);
	struct splice_pid *ps = &s->pids[pid];
	uint8_t *copy;

	if (splice_is_plain(s, ps, p)) {
		splice_pass_plain(s, ps, p);
		copy = splice_append(s, p);
		ts_set_cc(copy, s->sent->cc[pid]);
		if (s->n_splits > 0)
			splice_split_continue(s, copy, ts_cc(p));
	} else if (!ts_sync_ok(p) || pid == TS_PID_NULL) {
		(void)splice_append(s, p);
	} else {
		return change_packet(s, c, checked);
	}
	return true;
}

void splice_send_changed(struct splice *s, struct splice_cursor c, bool checked)
{
	if (splice_awaits_pcrs(s))
		splice_place(s, c);
	s->ahead = &c;
	do {
		if (!move_packet(s, &c, checked)) {
			splice_hold_foreign(s, c);
			break;
		}
		checked = false;
	} while (splice_cursor_next(&c));
	s->ahead = NULL;
	splice_flush(s);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Announced cuts: packets of the new source wait until the units of the
 * previous source have ended. */
#include "worker/splice/machine.h"

#include "common/base/util.h"
#include "worker/splice/stamps.h"
#include "worker/ts/psi_lead.h"
#include "worker/ts/section.h"

#include <string.h>

/* Adds a section of PAT or PMT of the new source to held.  Drops a section that
 * is too long, or for which there is no room. */
static void hold_section(const struct psi_section *section, uint16_t pid,
			 void *arg)
{
	struct splice *s = arg;
	uint8_t packets[SECTION_PSI_PACKETS * TS_PACKET], cc = 0;
	uint8_t copy[SECTION_PSI_MAX];
	size_t n;

	if (section->len > sizeof copy)
		return;
	memcpy(copy, section->data, section->len);
	if (s->config.lead != NULL)
		s->config.lead(pid, copy, section->len, s->config.arg);
	n = section_pack(copy, section->len, pid, &cc, packets);
	if (fifo_len(&s->held) + n > SPLICE_HELD_MAX)
		return;
	(void)fifo_push(&s->held, (struct ts_run){ .data = packets, .n = n });
}

/*
 * Ends the sequence for the decoder, so that the next random access point
 * refers to no picture before it: a decoder would otherwise treat CRA pictures
 * of HEVC and VVC as part of the old sequence.  H.264 and MPEG-2 do not need
 * this.
 */
static void end_sequence(struct splice *s, uint16_t pid)
{
	static const uint8_t hevc[] = { 0, 0, 1, 36 << 1, 1 };
	static const uint8_t vvc[] = { 0, 0, 1, 0, 21 << 3 | 1 };
	uint8_t type = psi_coding(s->psi, pid);
	const struct splice_pid *ps = &s->pids[pid];
	uint8_t packet[TS_PACKET];

	/* an end marker can be added only to a unit whose end is open */
	if ((type != 0x24 && type != 0x33) || ps->cut != s->cut ||
	    (ps->flags & (PID_OPEN | PID_WAIT | PID_DROP)) != PID_OPEN)
		return;
	memset(packet, 0xff, TS_PACKET);
	packet[0] = TS_SYNC_BYTE;
	packet[1] = 0;
	ts_set_pid(packet, pid);
	packet[3] = 0x30;
	packet[4] = TS_PACKET - 5 - sizeof hevc;
	packet[5] = 0;
	memcpy(packet + TS_PACKET - sizeof hevc, type == 0x24 ? hevc : vvc,
	       sizeof hevc);
	splice_set_cc(s, pid, s->sent->cc[pid] + 1U);
	ts_set_cc(splice_append(s, packet), s->sent->cc[pid]);
}

void splice_end_drain(struct splice *s, const struct splice_event *e)
{
	struct fifo held = s->held;
	struct ts_run run = { 0 };

	(void)e;
	s->state = SPLICE_CATCH_UP;
	splice_rewrite(s);
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->sent->tracks[i];

		s->pids[t->pid].flags &= (uint8_t)~PID_DRAIN;
		if (t->used)
			end_sequence(s, t->pid);
	}
	s->n_draining = 0;
	s->held = (struct fifo){ 0 };
	if (fifo_len(&held) > 0)
		run = fifo_run(&held);
	splice_begin_cut(s, s->next_kind);
	for (; s->n_tables > 0; s->n_tables--) {
		uint16_t pid = ts_pid(run.data);
		unsigned last = s->sent->cc[pid];
		uint8_t *copy = splice_append(s, run.data);

		splice_set_cc(s, pid, last & SPLICE_CC_SEEN ? last + 1 : 0);
		ts_set_cc(copy, s->sent->cc[pid]);
		splice_follow_tables(s, copy);
		run.data += TS_PACKET;
		run.n--;
	}
	splice_flush(s);
	/* places the clock of the program whose phase the switch point
	 * measured */
	for (size_t i = 0; s->has_phase && i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		if (c->program != s->phase_program || !s->pending[i])
			continue;
		splice_clock_join_phase(c, s->phase, s->now_ns);
		s->pending[i] = false;
		s->unsettled[i] = true;
		s->n_pending--;
	}
	if (run.n > 0) {
		s->since_ns = s->now_ns;
		splice_send_changed(s, splice_cursor_of(&run, 1), false);
	}
	/* if a packet had to wait, it has changed the state */
	if (s->state == SPLICE_CATCH_UP)
		s->state = SPLICE_REWRITE;
	fifo_done(&held);
}

/* Limits the wait for the next packet of the previous source: if that source
 * has stopped, its units never end. */
static void await_packets(struct splice *s)
{
	s->until_ns = MIN(s->now_ns + (uint64_t)SPLICE_DRAIN_QUIET_MS *
					      SPLICE_MS,
			  s->drain_end_ns);
}

void splice_begin_drain(struct splice *s, const struct splice_event *e)
{
	s->has_phase = false;
	s->late = e->point != NULL && switch_point_is_late(e->point);
	s->next_kind = SPLICE_BLIND;
	if (e->point != NULL) {
		/* the tables of the new source are sent in front of its
		 * packets */
		psi_lead(switch_point_psi(e->point), hold_section, s);
		s->n_tables = fifo_len(&s->held);
		s->next_kind = SPLICE_SWITCH;
		s->has_phase = switch_point_phase(e->point, &s->phase_program,
						  &s->phase);
	}
	/* marks the PIDs on which a unit has not ended yet */
	for (size_t i = 0; e->drain && i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->sent->tracks[i];
		struct splice_pid *ps = &s->pids[t->pid];

		if (!t->used || ps->cut != s->cut ||
		    (ps->flags & (PID_WAIT | PID_DROP | PID_DRAIN)) ||
		    (ps->left == 0 && !(ps->flags & PID_OPEN)))
			continue;
		ps->flags |= PID_DRAIN;
		s->n_draining++;
	}
	if (s->n_draining == 0) {
		splice_end_drain(s, e);
		return;
	}
	s->state = SPLICE_DRAIN;
	s->drain_end_ns = s->now_ns + (uint64_t)SPLICE_DRAIN_MS * SPLICE_MS;
	await_packets(s);
}

/* Takes a packet of the previous source during a drain.  Sends it if it belongs
 * to a unit that has not ended; otherwise sends only its PCR. */
static void drain_packet(struct splice *s, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	struct splice_pid *ps = &s->pids[pid];
	bool waited = (ps->flags & PID_DRAIN) && ts_has_payload(p);
	bool keep = waited && !ts_pusi(p);
	bool clock;
	uint64_t pcr;
	uint8_t *copy;

	if (keep)
		splice_unit_continues(ps, p);
	if (waited && (!keep || (ps->left == 0 && !(ps->flags & PID_OPEN)))) {
		ps->flags &= (uint8_t)~PID_DRAIN;
		s->n_draining--;
	}
	clock = ts_pcr(p, &pcr) && !(splice_note_pcr(s, p) & SPLICE_NO_PCR);
	if (!keep && !clock)
		return;
	/* dropped packets of the previous source do not change the counter */
	if (keep)
		splice_count(s, p, true);
	if (keep && (ps->flags & PID_FRAMES))
		splice_unit_count(s, p);
	copy = splice_append(s, p);
	if (!keep)
		stamps_drop_payload(copy);
	else if (!clock && ts_pcr(copy, &pcr))
		stamps_drop_pcr(copy);
	ts_set_cc(copy, s->sent->cc[pid]);
	stamps_move(copy, splice_move_of(s, pid));
	if (s->n_splits > 0)
		splice_split_continue(s, copy, ts_cc(p));
}

void splice_feed_drain(struct splice *s, const struct splice_event *e)
{
	splice_rewrite(s);
	for (size_t i = 0; i < e->n_runs; i++) {
		for (size_t k = 0; k < e->runs[i].n; k++) {
			const uint8_t *p = e->runs[i].data + k * TS_PACKET;

			if (ts_sync_ok(p) && !ts_tei(p))
				drain_packet(s, p);
		}
	}
	splice_flush(s);
	s->sent->at_ns = s->now_ns;
	await_packets(s);
	if (s->n_draining == 0)
		splice_end_drain(s, e);
}

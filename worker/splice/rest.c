/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Announced cuts: what is kept back until the source before has ended. */
#include "worker/splice/parts.h"

#include "common/base/alloc.h"
#include "worker/splice/stamps.h"
#include "worker/ts/section.h"

#include <string.h>

enum { SECTION_PACKETS = (SECTION_PSI_MAX + 184) / 184 + 1 };

void splice_hold(struct splice *s, const struct ts_run *runs, size_t n_runs)
{
	for (size_t i = 0; i < n_runs; i++)
		if (runs[i].n > 0)
			(void)fifo_push(&s->held, runs[i]);
}

static void hold_section(struct splice *s, struct psi_section section,
			 uint16_t pid)
{
	uint8_t packets[SECTION_PACKETS * TS_PACKET], cc = 0;
	size_t n;

	if (section.data == NULL || section.len > SECTION_PSI_MAX)
		return;
	n = section_pack(section.data, section.len, pid, &cc, packets);
	if (fifo_len(&s->held) + n > SPLICE_HELD_MAX)
		return;
	(void)fifo_push(&s->held, (struct ts_run){ .data = packets, .n = n });
}

/* The tables of the source to come stand in front of it. */
static void hold_tables(struct splice *s, const struct psi *psi)
{
	const struct psi_section *pat;
	const struct psi_program *programs;
	size_t n_pat = psi_pat(psi, &pat);
	size_t n_programs = psi_programs(psi, &programs);

	for (size_t i = 0; i < n_pat; i++)
		hold_section(s, pat[i], TS_PID_PAT);
	for (size_t i = 0; i < n_programs; i++)
		hold_section(s, programs[i].pmt, programs[i].pmt_pid);
	s->n_tables = fifo_len(&s->held);
}

static void put_table(struct splice *s, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	unsigned last = s->sent->cc[pid];
	uint8_t *copy = splice_append(s, packet);

	splice_set_cc(s, pid, last & SPLICE_CC_SEEN ? last + 1 : 0);
	ts_set_cc(copy, s->sent->cc[pid]);
	splice_follow_tables(s, copy);
}

/* The clock whose source was watched. */
static void place_by_phase(struct splice *s)
{
	for (size_t i = 0; s->has_phase && i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		if (c->program != s->phase_program || !s->pending[i])
			continue;
		splice_clock_join_phase(c, s->phase, s->now_ns);
		s->pending[i] = false;
		s->unsettled[i] = true;
		s->n_pending--;
	}
}

/*
 * Tells the decoder that its sequence ends here, so that the next random
 * access point refers to nothing before it: CRA pictures of HEVC and VVC would
 * otherwise be taken for a part of it.  H.264 and MPEG-2 need no such word.
 */
static void end_sequence(struct splice *s, uint16_t pid)
{
	static const uint8_t hevc[] = { 0, 0, 1, 36 << 1, 1 };
	static const uint8_t vvc[] = { 0, 0, 1, 0, 21 << 3 | 1 };
	uint8_t type = psi_stream_type(s->psi, pid);
	const struct splice_pid *ps = &s->pids[pid];
	uint8_t packet[TS_PACKET];

	/* it can be added only to a unit whose end is open */
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

void splice_end_rest(struct splice *s)
{
	struct fifo held = s->held;
	struct ts_run run = { 0 };

	if (s->buffer == NULL)
		s->buffer = xcalloc(SPLICE_CHUNK, TS_PACKET);
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->sent->tracks[i];

		s->pids[t->pid].flags &= (uint8_t)~PID_REST;
		if (t->used)
			end_sequence(s, t->pid);
	}
	s->rest = false;
	s->n_rest = 0;
	s->held = (struct fifo){ 0 };
	if (fifo_len(&held) > 0)
		run = fifo_run(&held);
	splice_begin_cut(s, SPLICE_ANNOUNCED);
	for (; s->n_tables > 0; s->n_tables--) {
		put_table(s, run.data);
		run.data += TS_PACKET;
		run.n--;
	}
	splice_flush(s);
	place_by_phase(s);
	if (run.n > 0) {
		s->live = false;
		s->since_ns = s->now_ns;
		splice_move_on(s, splice_cursor_of(&run, 1), false);
		s->live = true;
	}
	fifo_done(&held);
}

/* Marks the PIDs on which a unit has not ended yet. */
static void find_open_units(struct splice *s)
{
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->sent->tracks[i];
		struct splice_pid *ps = &s->pids[t->pid];

		if (!t->used || ps->cut != s->cut ||
		    (ps->flags & (PID_WAIT | PID_DROP | PID_REST)) ||
		    (ps->left == 0 && !(ps->flags & PID_OPEN)))
			continue;
		ps->flags |= PID_REST;
		s->n_rest++;
	}
}

void splice_cut(struct splice *s, const struct switch_point *entry, bool rest,
		uint64_t now_ns)
{
	/* nothing that could be cut */
	if (s->sent->packets == 0)
		return;
	s->now_ns = now_ns;
	if (s->rest)
		splice_end_rest(s);
	splice_end_doubt(s);
	s->has_phase = false;
	s->entered = entry != NULL;
	if (entry != NULL) {
		hold_tables(s, switch_point_psi(entry));
		s->has_phase = switch_point_phase(entry, &s->phase_program,
						  &s->phase);
	}
	if (rest)
		find_open_units(s);
	s->rest = s->n_rest > 0;
	s->rest_until_ns = now_ns + (uint64_t)SPLICE_DRAIN_MS * SPLICE_MS;
	if (!s->rest)
		splice_end_rest(s);
}

void splice_shift(struct splice *s, uint64_t ticks)
{
	if (s->rest)
		splice_end_rest(s);
	splice_end_doubt(s);
	if (s->sent->packets == 0)
		return;
	splice_begin_cut(s, SPLICE_SHIFTED);
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->sent->clocks[i];

		c->offset = (c->offset + ticks) % PES_TIME_WRAP;
		s->unsettled[i] = c->used;
	}
}

bool splice_is_draining(struct splice *s, uint64_t now_ns)
{
	if (s->rest && now_ns >= s->rest_until_ns) {
		s->now_ns = now_ns;
		splice_end_rest(s);
	}
	return s->rest;
}

/* Does it belong to a unit that was under way?  Notes when that has ended. */
static bool is_rest(struct splice *s, const uint8_t *p)
{
	struct splice_pid *ps = &s->pids[ts_pid(p)];

	if (!(ps->flags & PID_REST) || !ts_has_payload(p))
		return false;
	if (!ts_pusi(p))
		splice_unit_goes_on(ps, p);
	if (ts_pusi(p) || (ps->left == 0 && !(ps->flags & PID_OPEN))) {
		ps->flags &= (uint8_t)~PID_REST;
		s->n_rest--;
	}
	return !ts_pusi(p);
}

/* Of the source before: what belongs to its last units goes out, and so does
 * its clock. */
static void move_rest(struct splice *s, const uint8_t *p)
{
	bool rest = is_rest(s, p);
	uint64_t pcr;
	uint8_t *copy;

	if (!rest && !ts_pcr(p, &pcr))
		return;
	(void)splice_note_pcr(s, p);
	/* what is left out for good is not even counted */
	if (rest)
		splice_count(s, p, true);
	if (rest && (s->pids[ts_pid(p)].flags & PID_FRAMES))
		splice_unit_count(s, p);
	copy = splice_append(s, p);
	if (!rest)
		stamps_drop_payload(copy);
	ts_set_cc(copy, s->sent->cc[ts_pid(p)]);
	stamps_move(copy, splice_move_of(s, ts_pid(p)));
}

void splice_drain(struct splice *s, const struct ts_run *runs,
		      size_t n_runs, uint64_t now_ns)
{
	s->now_ns = now_ns;
	if (!s->rest)
		return;
	if (s->buffer == NULL)
		s->buffer = xcalloc(SPLICE_CHUNK, TS_PACKET);
	for (size_t i = 0; i < n_runs; i++) {
		for (size_t k = 0; k < runs[i].n; k++) {
			const uint8_t *p = runs[i].data + k * TS_PACKET;

			if (ts_sync_ok(p) && !ts_tei(p))
				move_rest(s, p);
		}
	}
	splice_flush(s);
	s->sent->at_ns = now_ns;
	if (s->n_rest == 0)
		splice_end_rest(s);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/splice.h"

#include "common/alloc.h"
#include "common/util.h"
#include "worker/splice/parts.h"
#include "worker/splice/stamps.h"
#include "worker/ts/pcr.h"
#include "worker/ts/section.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	DISCONTINUITY = 0x80,
	/* PCRs that far apart are bridged, at such steps. */
	BRIDGE_FROM_MS = 60,
	BRIDGE_STEP_MS = 30,
	BRIDGE_MOST_MS = 5000,
	SECTION_PACKETS = (SECTION_PSI_MAX + 184) / 184 + 1,
};

/* The state is another's: what is known by PID there is found here. */
static void adopt(struct splice *s)
{
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->state->tracks[i];

		if (!t->used)
			continue;
		s->pids[t->pid].track = (uint8_t)(i + 1);
		s->pids[t->pid].clock = t->clock;
	}
	splice_begin_cut(s, SPLICE_ANNOUNCED);
	s->counters.cuts = 0;
}

struct splice *splice_new(const struct splice_config *config)
{
	struct splice *s = xcalloc(1, sizeof *s);

	s->config = *config;
	s->state = config->state;
	if (s->state == NULL)
		s->state = s->own_state = xcalloc(1, sizeof *s->state);
	s->psi = psi_new();
	s->cut = 1;
	s->live = true;
	if (s->state->packets > 0)
		adopt(s);
	return s;
}

void splice_free(struct splice **ptr)
{
	struct splice *s = *ptr;

	*ptr = NULL;
	if (s == NULL)
		return;
	psi_free(&s->psi);
	fifo_done(&s->held);
	free(s->buffer);
	free(s->own_state);
	free(s);
}

/* --- what goes out --- */

static void flush(struct splice *s)
{
	struct ts_run run = { .data = s->buffer, .n = s->n_buffer };

	s->n_buffer = 0;
	if (run.n > 0)
		s->config.out(&run, 1, s->config.arg);
}

/* Room for a packet, which goes out with the next flush. */
static uint8_t *append(struct splice *s, const uint8_t *packet)
{
	uint8_t *copy;

	if (s->n_buffer == SPLICE_CHUNK)
		flush(s);
	copy = s->buffer + s->n_buffer * TS_PACKET;
	memcpy(copy, packet, TS_PACKET);
	s->n_buffer++;
	s->state->packets++;
	return copy;
}

static void follow_tables(struct splice *s, const uint8_t *packet)
{
	if (psi_class(s->psi, ts_pid(packet)) == PID_PSI &&
	    psi_feed(s->psi, packet))
		splice_programs_renew(s);
}

/* --- one packet of the source --- */

/*
 * Where laps meet there may be nothing to send for longer than PCRs may be
 * apart: packets with a PCR alone stand there then.
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
	c = &s->state->clocks[i];

	int64_t gap = splice_clock_gap(c, pcr);

	for (; gap > from && gap < most; gap -= step) {
		uint8_t *packet = append(s, p);

		stamps_drop_payload(packet);
		ts_set_cc(packet, s->state->cc[ts_pid(p)]);
		c->pcr = (c->pcr + (uint64_t)step) % PCR_WRAP;
		ts_set_pcr(packet, c->pcr);
	}
}

static void change(struct splice *s, const uint8_t *p)
{
	uint16_t pid = ts_pid(p);
	uint64_t pcr;
	uint8_t *copy;
	bool keep;

	if (s->kind == SPLICE_SHIFTED && ts_has_adaptation(p) && !ts_tei(p))
		bridge_laps(s, p);
	keep = splice_admit(s, p);

	if (!keep) {
		s->counters.dropped++;
		if (!ts_pcr(p, &pcr) || s->drop_pcr)
			return;
	}
	copy = append(s, p);
	if (!keep)
		stamps_drop_payload(copy);
	ts_set_cc(copy, s->state->cc[pid]);
	if (ts_tei(p))
		return;
	stamps_move(copy, splice_move_of(s, pid));
	if (s->drop_pcr)
		stamps_drop_pcr(copy);
	/* it told of a break that is mended here */
	if (ts_discontinuity(copy) && splice_has_patience(s))
		copy[5] &= (uint8_t)~DISCONTINUITY;
	if (s->goes_back && ts_adaptation_flags(copy) != 0)
		copy[5] |= DISCONTINUITY;
	follow_tables(s, copy);
}

static void move_packet(struct splice *s, const struct splice_cursor *c,
			bool looked)
{
	const uint8_t *p = splice_cursor_get(c);
	uint16_t pid = ts_pid(p);
	struct splice_pid *ps = &s->pids[pid];

	if (splice_is_plain(s, ps, p)) {
		splice_pass_plain(s, ps, p);
		ts_set_cc(append(s, p), s->state->cc[pid]);
	} else if (!ts_sync_ok(p) || pid == TS_PID_NULL) {
		(void)append(s, p);
	} else {
		if (!looked && !ts_tei(p))
			(void)splice_find_jump(s, c);
		change(s, p);
	}
}

static void move_on(struct splice *s, struct splice_cursor c, bool looked)
{
	if (s->n_pending > 0)
		splice_place(s, c);
	do {
		move_packet(s, &c, looked);
		looked = false;
	} while (splice_cursor_next(&c));
	flush(s);
}

/* --- as long as nothing was cut --- */

/* Hands on what was looked at before the cursor. */
static void pass_before(struct splice *s, const struct ts_run *runs,
			const struct splice_cursor *c)
{
	struct ts_run last = { .data = c->runs[0].data, .n = c->at };
	size_t n = (size_t)(c->runs - runs);

	if (n > 0)
		s->config.out(runs, n, s->config.arg);
	if (last.n > 0)
		s->config.out(&last, 1, s->config.arg);
}

static bool watch_packet(struct splice *s, const struct splice_cursor *c,
			 uint64_t before)
{
	const uint8_t *p = splice_cursor_get(c);
	uint16_t pid = ts_pid(p);
	struct splice_pid *ps = &s->pids[pid];

	if (splice_is_plain(s, ps, p)) {
		splice_pass_plain(s, ps, p);
		return true;
	}
	if (!ts_sync_ok(p) || pid == TS_PID_NULL)
		return true;
	s->state->packets = before + c->index;
	if (!ts_tei(p) && splice_find_jump(s, c))
		return false;
	(void)splice_admit(s, p);
	if (!ts_tei(p))
		follow_tables(s, p);
	return true;
}

static void watch(struct splice *s, const struct ts_run *runs, size_t n_runs)
{
	struct splice_cursor c = splice_cursor_of(runs, n_runs);
	uint64_t before = s->state->packets;

	do {
		if (!watch_packet(s, &c, before)) {
			pass_before(s, runs, &c);
			move_on(s, c, true);
			return;
		}
	} while (splice_cursor_next(&c));
	s->state->packets = before + c.index;
	s->config.out(runs, n_runs, s->config.arg);
}

/* --- cuts --- */

static void hold(struct splice *s, const struct ts_run *runs, size_t n_runs)
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
	unsigned last = s->state->cc[pid];
	uint8_t *copy = append(s, packet);

	splice_set_cc(s, pid, last & SPLICE_CC_SEEN ? last + 1 : 0);
	ts_set_cc(copy, s->state->cc[pid]);
	follow_tables(s, copy);
}

/* The clock whose source was watched. */
static void place_by_phase(struct splice *s)
{
	for (size_t i = 0; s->has_phase && i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->state->clocks[i];

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
	splice_set_cc(s, pid, s->state->cc[pid] + 1U);
	ts_set_cc(append(s, packet), s->state->cc[pid]);
}

/* The rest has ended, or has to: what was kept back goes out. */
static void end_rest(struct splice *s)
{
	struct fifo held = s->held;
	struct ts_run run = fifo_run(&held);

	if (s->buffer == NULL)
		s->buffer = xcalloc(SPLICE_CHUNK, TS_PACKET);
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->state->tracks[i];

		s->pids[t->pid].flags &= (uint8_t)~PID_REST;
		if (t->used)
			end_sequence(s, t->pid);
	}
	s->rest = false;
	s->n_rest = 0;
	s->held = (struct fifo){ 0 };
	splice_begin_cut(s, SPLICE_ANNOUNCED);
	for (; s->n_tables > 0; s->n_tables--) {
		put_table(s, run.data);
		run.data += TS_PACKET;
		run.n--;
	}
	flush(s);
	place_by_phase(s);
	if (run.n > 0) {
		s->live = false;
		s->since_ns = s->now_ns;
		move_on(s, splice_cursor_of(&run, 1), false);
		s->live = true;
	}
	fifo_done(&held);
}

/* Marks the PIDs on which a unit has not ended yet. */
static void find_open_units(struct splice *s)
{
	for (size_t i = 0; i < SPLICE_TRACKS; i++) {
		const struct splice_track *t = &s->state->tracks[i];
		struct splice_pid *ps = &s->pids[t->pid];

		if (!t->used || ps->cut != s->cut ||
		    (ps->flags & (PID_WAIT | PID_DROP | PID_REST)) ||
		    (ps->left == 0 && !(ps->flags & PID_OPEN)))
			continue;
		ps->flags |= PID_REST;
		s->n_rest++;
	}
}

void splice_cut(struct splice *s, const struct splice_entry *entry, bool rest,
		uint64_t now_ns)
{
	/* nothing that could be cut */
	if (s->state->packets == 0)
		return;
	s->now_ns = now_ns;
	if (s->rest)
		end_rest(s);
	s->has_phase = false;
	if (entry != NULL) {
		hold_tables(s, splice_entry_psi(entry));
		s->has_phase = splice_entry_phase(entry, &s->phase_program,
						  &s->phase);
	}
	if (rest)
		find_open_units(s);
	s->rest = s->n_rest > 0;
	s->rest_until_ns = now_ns + (uint64_t)SPLICE_REST_MS * SPLICE_MS;
	if (!s->rest)
		end_rest(s);
}

void splice_shift(struct splice *s, uint64_t ticks)
{
	if (s->rest)
		end_rest(s);
	if (s->state->packets == 0)
		return;
	splice_begin_cut(s, SPLICE_SHIFTED);
	for (size_t i = 0; i < SPLICE_CLOCKS; i++) {
		struct splice_clock *c = &s->state->clocks[i];

		c->offset = (c->offset + ticks) % PES_TIME_WRAP;
		s->unsettled[i] = c->used;
	}
}

bool splice_wants_rest(struct splice *s, uint64_t now_ns)
{
	if (s->rest && now_ns >= s->rest_until_ns) {
		s->now_ns = now_ns;
		end_rest(s);
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
	copy = append(s, p);
	if (!rest)
		stamps_drop_payload(copy);
	ts_set_cc(copy, s->state->cc[ts_pid(p)]);
	stamps_move(copy, splice_move_of(s, ts_pid(p)));
}

void splice_feed_rest(struct splice *s, const struct ts_run *runs,
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
	flush(s);
	s->state->at_ns = now_ns;
	if (s->n_rest == 0)
		end_rest(s);
}

static size_t count_packets(const struct ts_run *runs, size_t n_runs)
{
	size_t n = 0;

	for (size_t i = 0; i < n_runs; i++)
		n += runs[i].n;
	return n;
}

void splice_feed(struct splice *s, const struct ts_run *runs, size_t n_runs,
		 uint64_t now_ns)
{
	size_t n = count_packets(runs, n_runs);

	if (n == 0)
		return;
	s->now_ns = now_ns;
	if (s->rest) {
		if (now_ns < s->rest_until_ns &&
		    fifo_len(&s->held) + n <= SPLICE_HELD_MAX) {
			hold(s, runs, n_runs);
			return;
		}
		end_rest(s);
	}
	if (s->since_ns == 0)
		s->since_ns = now_ns;
	if (s->n_pending > 0 && !splice_has_patience(s)) {
		memset(s->pending, 0, sizeof s->pending);
		s->n_pending = 0;
	}
	s->calm = 0;
	if (s->moving)
		move_on(s, splice_cursor_of(runs, n_runs), false);
	else
		watch(s, runs, n_runs);
	s->state->at_ns = now_ns;
}

const struct psi *splice_psi(const struct splice *s)
{
	return s->psi;
}

void splice_counters(const struct splice *s, struct splice_counters *ret)
{
	*ret = s->counters;
}

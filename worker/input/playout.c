/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/playout.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/base/util.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* The most packets that one playout_take() takes. */
	TURN_MAX = 4096,
	/* The most packets in which the next PCR is searched. */
	AHEAD_MAX = 8192,
	/* After this time without a packet the lead is built up again. */
	SILENCE_MS = 500,
	CHECK_MS = 1000, /* between two corrections of the pace */
	WORD = 64, /* marks in a word */
};

void playout_init(struct playout *p, unsigned lead_ms, size_t packets_max,
		  uint64_t now_ns)
{
	*p = (struct playout){ .lead_ns = lead_ms * MS, .checked_ns = now_ns,
			       .hold_ns = lead_ms * MS, .smooth_s = 1 };
	packet_ring_init(&p->ring, packets_max);
	pcr_clock_init(&p->in, TS_PID_NULL);
	file_clock_init(&p->clock, now_ns);
}

void playout_set_pace(struct playout *p, unsigned lead_ms, unsigned smooth_s)
{
	p->lead_ns = lead_ms * MS;
	if (smooth_s == p->smooth_s)
		return;
	p->smooth_s = smooth_s;
	p->hold_ns = 0;
	p->checks = 0;
}

void playout_done(struct playout *p)
{
	packet_ring_done(&p->ring);
	free(p->marks);
	p->marks = NULL;
}

size_t playout_room(const struct playout *p)
{
	return p->ring.max - p->ring.len;
}

/* The word with the bit that marks a packet with a PCR. */
static uint64_t *mark_word(const struct playout *p, uint64_t packet)
{
	return &p->marks[packet / WORD % p->n_marks];
}

void playout_push(struct playout *p, struct ts_run run)
{
	if (p->marks == NULL) {
		/* A further word, so that the mark of the newest packet never
		 * overwrites that of the oldest. */
		p->n_marks = p->ring.max / WORD + 2;
		p->marks = xcalloc(p->n_marks, sizeof *p->marks);
	}
	while (run.n > 0) {
		struct ts_run copy = packet_ring_push(&p->ring, run);

		for (size_t i = 0; i < copy.n; i++) {
			const uint8_t *packet = copy.data + i * TS_PACKET;
			uint64_t at = p->in.packets, pcr;
			uint64_t *marks = mark_word(p, at);
			bool has_pcr = ts_pcr(packet, &pcr);

			*marks = at % WORD == 0 ? 0 : *marks;
			*marks |= (uint64_t)has_pcr << at % WORD;
			if (!has_pcr)
				pcr_clock_pass(&p->in, 1);
			else if (pcr_clock_feed(&p->in, packet))
				p->gap_ticks = MAX(p->gap_ticks,
						   p->in.span_ticks);
		}
		run.data += copy.n * TS_PACKET;
		run.n -= copy.n;
	}
}

void playout_cut(struct playout *p)
{
	uint64_t at = p->in.packets;

	assert(playout_can_cut(p));
	pcr_clock_break(&p->in);
	if (p->n_cuts == 0 || p->cuts[p->n_cuts - 1] != at)
		p->cuts[p->n_cuts++] = at;
}

static uint64_t next_due_ns(const struct playout *p)
{
	return file_clock_when(&p->clock, p->sent) - p->clock.slipped_ns;
}

uint64_t playout_due_ns(const struct playout *p)
{
	return p->due_ns != 0 ? p->due_ns : next_due_ns(p);
}

bool playout_is_at_cut(const struct playout *p)
{
	return p->n_cuts > 0 && p->cuts[0] == p->sent &&
	       p->ring.len > 0;
}

void playout_pass_cut(struct playout *p)
{
	p->n_cuts--;
	p->looked -= p->looked > 0;
	memmove(p->cuts, p->cuts + 1, p->n_cuts * sizeof *p->cuts);
}

static bool is_full(const struct playout *p)
{
	return playout_room(p) < MAX(p->need, (size_t)PLAYOUT_ROOM_MIN);
}

uint64_t playout_waiting_ns(const struct playout *p)
{
	uint64_t in = pcr_clock_ticks(&p->in), out = p->clock.ticks;

	if (pcr_clock_bps(&p->in) == 0)
		return p->ring.len * TS_PACKET * 8 *
		       (SECOND_NS / FILE_CLOCK_BPS);
	return in > out ? (in - out) / 27 * 1000 : 0;
}

/* Skips packets without a PCR.  True: a packet with a PCR follows before `end';
 * false: the search has reached the end. */
static bool pass_to_mark(struct playout *p, uint64_t end)
{
	uint64_t at = p->clock.pcr.packets, to = at;

	if (p->looked < p->n_cuts && p->cuts[p->looked] == at) {
		pcr_clock_break(&p->clock.pcr);
		p->looked++;
	}
	if (p->looked < p->n_cuts)
		end = MIN(end, p->cuts[p->looked]);
	while (to < end) {
		uint64_t word = *mark_word(p, to) >> to % WORD;

		if (word != 0) {
			to += (uint64_t)__builtin_ctzll(word);
			break;
		}
		to += WORD - to % WORD;
	}
	pcr_clock_pass(&p->clock.pcr, MIN(to, end) - at);
	return p->clock.pcr.packets < end;
}

/* Computes the times of more packets.  False: that needs packets that have not
 * arrived. */
static bool look_ahead(struct playout *p, uint64_t now_ns)
{
	size_t seen = MIN(p->ring.len, (size_t)AHEAD_MAX);
	uint64_t end = p->sent + seen;

	while (p->clock.pcr.packets < end) {
		if (!pass_to_mark(p, end))
			continue;
		if (file_clock_feed(&p->clock, packet_ring_at(&p->ring,
				p->clock.pcr.packets - p->sent))) {
			file_clock_advance(&p->clock, now_ns, false);
			return true;
		}
	}
	if (seen == 0 || (seen < AHEAD_MAX && !is_full(p) && !p->ended))
		return false;
	file_clock_advance(&p->clock, now_ns, true);
	return true;
}

static void correct(struct playout *p, uint64_t now_ns)
{
	uint64_t level = playout_waiting_ns(p) + p->elsewhere_ns;
	int64_t change = (int64_t)level - (int64_t)p->mean_ns;
	int64_t off_us, ppm;

	if (now_ns - p->checked_ns < CHECK_MS * MS)
		return;
	p->checked_ns = now_ns;
	if (p->smooth_s == 0) {
		p->clock.speed_ppm = 0;
		return;
	}
	p->mean_ns = p->checks == 0 ? level
				    : (uint64_t)((int64_t)p->mean_ns +
						 change / (int)p->smooth_s);
	p->checks++;
	/* the level to hold is the mean of the beginning */
	if (p->hold_ns == 0 && p->checks >= 2 * p->smooth_s)
		p->hold_ns = p->mean_ns;
	/* a level that is wrong by half gets the full correction */
	off_us = (int64_t)(p->mean_ns / 1000) - (int64_t)(p->hold_ns / 1000);
	ppm = off_us * PLAYOUT_SPEED_PPM / ((int64_t)(p->hold_ns / 2000) + 1);
	ppm = MAX(MIN(ppm, PLAYOUT_SPEED_PPM), -PLAYOUT_SPEED_PPM);
	p->clock.speed_ppm = p->hold_ns > 0 ? (int)ppm : 0;
}

/* Puts n packets into the batch without a copy. */
static size_t release(struct playout *p, struct batch *batch, size_t n)
{
	size_t left;

	if (p->n_cuts > 0)
		n = (size_t)MIN((uint64_t)n, p->cuts[0] - p->sent);
	if (n == 0)
		return 0;
	if (p->due_ns == 0)
		p->due_ns = next_due_ns(p);
	for (left = n; left > 0;) {
		struct ts_run run = packet_ring_run(&p->ring, left);

		batch_add(batch, run);
		packet_ring_drop(&p->ring, run.n);
		left -= run.n;
	}
	p->sent += n;
	return n;
}

/* True if playing can start: the lead is reached, the queue is full, or the
 * source has ended. */
static bool may_start(const struct playout *p)
{
	return playout_waiting_ns(p) >= p->lead_ns || is_full(p) ||
	       (p->ended && p->ring.len > 0);
}

size_t playout_take(struct playout *p, struct batch *batch, uint64_t now_ns)
{
	size_t taken = 0;

	if (p->lead_ns == 0) {
		taken = release(p, batch, MIN(p->ring.len, (size_t)TURN_MAX));
		batch_flush(batch);
		p->due_ns = 0;
		return taken;
	}
	if (!p->plays) {
		if (!may_start(p))
			return 0;
		p->plays = true;
		p->taken_ns = p->clock.from_ns = p->clock.to_ns = now_ns;
	}
	correct(p, now_ns);
	while (taken < (size_t)TURN_MAX) {
		uint64_t due = file_clock_due(&p->clock, now_ns);

		taken += release(p, batch, (size_t)(due - p->sent));
		if (playout_is_at_cut(p) || p->sent < p->clock.to ||
		    !look_ahead(p, now_ns) || p->clock.from_ns > now_ns)
			break;
	}
	batch_flush(batch);
	p->due_ns = 0;
	if (taken > 0)
		p->taken_ns = now_ns;
	if (now_ns - p->taken_ns >= SILENCE_MS * MS) {
		p->plays = false;
		p->underruns++;
	}
	return taken;
}

bool playout_is_dry(const struct playout *p)
{
	return p->ring.len == 0 || (p->lead_ns > 0 && !p->plays && !p->ended);
}

void playout_every_second(struct playout *p)
{
	packet_ring_trim(&p->ring);
}

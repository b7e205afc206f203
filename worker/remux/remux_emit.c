/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places generated packets between those of the source. */
#include "worker/remux/remux_state.h"

#include <string.h>

#define MS_TICKS (PCR_HZ / 1000)

/* TR 101 290 allows PAT and PMT 500 ms, SDT 2 s; TS 102 809 an AIT 1 s. */
enum {
	PSI_MS = 100,
	CAT_MS = 400,
	SDT_MS = 1000,
	AIT_MS = 500,
};

/* A receiver takes 1 Mbit/s of a PID with tables (ISO/IEC 13818-1 2.4.2.3):
 * one packet in 1.5 ms. */
enum {
	SPACING_US = 1504,
	SPACING_DEFAULT = 8,
	SPACING_MAX = 256,
	/* Without a dropped packet, so many packets pass before one is
	 * inserted. */
	PATIENCE = 16,
};

static void send(struct remux *r, const uint8_t *from)
{
	uint8_t *packet = runs_out_new(&r->out);
	uint16_t pid = ts_pid(from);

	memcpy(packet, from, TS_PACKET);
	ts_set_cc(packet, r->cc[pid]);
	r->cc[pid] = (r->cc[pid] + 1) & 0x0f;
	r->sent_at = r->packets;
}

void remux_queue(struct remux *r, struct section_queue *q, uint16_t pid,
		 const uint8_t *section, size_t len)
{
	if (!remux_has_queued(r))
		r->queued_at = r->packets;
	if (!section_queue_push(q, pid, section, len))
		r->counted.dropped++;
}

static void push(struct remux *r, struct section_queue *q, uint16_t pid,
		 const struct table *t)
{
	if (t->len > 0)
		remux_queue(r, q, pid, t->data, t->len);
}

static void push_pat(struct remux *r)
{
	for (size_t i = 0; i < r->n_pat; i++)
		push(r, &r->psi_queue, TS_PID_PAT, &r->pat[i]);
	r->due.next_pmt = 0;
}

/* Queues as many PMTs as have room; the others follow. */
static void push_pmts(struct remux *r)
{
	while (r->due.next_pmt < r->n_programs) {
		const struct program *p = &r->programs[r->due.next_pmt];

		if (p->pmt.len > 0 &&
		    !section_queue_push(&r->psi_queue,
					p->pmt_out, p->pmt.data,
					p->pmt.len))
			return;
		r->due.next_pmt++;
	}
}

static bool send_next(struct remux *r)
{
	const uint8_t *packet = section_queue_pop(&r->psi_queue);

	if (packet == NULL)
		packet = section_queue_pop(&r->si_queue);
	if (packet == NULL)
		return false;
	send(r, packet);
	if (r->due.next_pmt < r->n_programs)
		push_pmts(r);
	return true;
}

/* True when it is due; then sets the next time. */
static bool is_due(const struct remux *r, uint64_t *due, unsigned interval_ms)
{
	if (r->clock.ticks < *due)
		return false;
	*due = r->clock.ticks + interval_ms * MS_TICKS;
	return true;
}

void remux_schedule(struct remux *r)
{
	if (!r->settled && r->n_programs > 0 && remux_has_settled(r))
		remux_rebuild(r);
	if (r->n_pat == 0)
		return;
	/* no more tables are queued while earlier ones wait */
	if (r->psi_queue.n == 0 && is_due(r, &r->due.psi, PSI_MS)) {
		push_pat(r);
		push_pmts(r);
	}
	if (is_due(r, &r->due.sdt, SDT_MS))
		push(r, &r->si_queue, SI_PID_SDT, &r->sdt);
	if (is_due(r, &r->due.ait, AIT_MS))
		push(r, &r->si_queue, r->plan.ait, &r->ait);
	if (is_due(r, &r->due.cat, CAT_MS))
		for (size_t i = 0; i < CAT_SECTIONS_MAX; i++)
			push(r, &r->si_queue, SI_PID_CAT, &r->cat[i]);
}

static void send_all(struct remux *r)
{
	const uint8_t *packet;

	while ((packet = section_queue_pop(&r->psi_queue)) != NULL)
		send(r, packet);
}

void remux_announce(struct remux *r)
{
	section_queue_clear(&r->psi_queue);
	send_all(r);
	push_pat(r);
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct program *p = &r->programs[i];

		if (!p->changed || p->pmt.len == 0)
			continue;
		push(r, &r->psi_queue, p->pmt_out, &p->pmt);
		send_all(r);
	}
	send_all(r);
	/* the others go out by schedule */
	r->due.next_pmt = r->n_programs;
	if (r->single)
		r->due.psi = r->clock.ticks + PSI_MS * MS_TICKS;
}

void remux_take_clock(struct remux *r, const uint8_t *packet)
{
	uint64_t pcr, step, us, spacing = 0;

	if (!ts_pcr(packet, &pcr) || ts_tei(packet))
		return;
	step = stream_clock_pcr(&r->clock, pcr, ts_discontinuity(packet),
				r->now_ns);
	us = step / (PCR_HZ / 1000000);
	if (us > 0)
		spacing = (r->packets - r->pcr_at) * SPACING_US / us;
	if (step > 0)
		r->spacing = (unsigned)MIN(MAX(spacing, 1), SPACING_MAX);
	r->pcr_at = r->packets;
	remux_schedule(r);
}

/* The least number of packets between two generated ones. */
static uint64_t distance(const struct remux *r)
{
	uint64_t spacing = r->spacing > 0 ? r->spacing : SPACING_DEFAULT;

	/* closer together is better than dropped */
	return r->si_queue.n > SECTION_QUEUE_MAX / 2 ? spacing / 4 : spacing;
}

bool remux_take_place(struct remux *r, bool of_table)
{
	if (!of_table && r->packets - r->sent_at < distance(r))
		return false;
	return send_next(r);
}

void remux_make_room(struct remux *r)
{
	uint64_t spacing = distance(r);
	uint64_t last = MAX(r->sent_at, r->queued_at);

	if (r->packets - last > spacing + spacing / 2 + PATIENCE)
		(void)send_next(r);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places generated packets between those of the source. */
#include "worker/remux/remux_state.h"

#include <string.h>

/* Intervals of tables.  Allowed are 500 ms for PAT and PMT, 2 s for the SDT (TR
 * 101 290), and 1 s for an AIT (TS 102 809). */
enum {
	PSI_MS = 100,
	CAT_MS = 400,
	SDT_MS = 1000,
	AIT_MS = 500,
};

/* The distance between generated packets of a PID.  A receiver takes 1 Mbit/s
 * of a PID with tables (ISO/IEC 13818-1 2.4.2.3): one packet in 1.5 ms. */
enum {
	SPACING_US = 1504,
	/* packets of the source; while its rate is not known */
	SPACING_DEFAULT = 8,
	SPACING_MAX = 256, /* packets of the source */
	/* If no packet is dropped, this number of packets passes beyond one and
	 * a half times the spacing before a generated packet is inserted. */
	PATIENCE = 16,
	/* While packets of both queues wait, this number of packets of PAT and
	 * PMT in a row gets places of other packets.  Then a packet of another
	 * table gets one. */
	PSI_SHARE = 2,
	/* packets that always have room in psi_waiting, for the PAT */
	PAT_PACKETS_MAX = PAT_SECTIONS_MAX * SECTION_PSI_PACKETS,
};

static void send(struct remux *r, const uint8_t *from)
{
	uint8_t *packet = runs_out_new(&r->out);
	uint16_t pid = ts_pid(from);

	memcpy(packet, from, TS_PACKET);
	ts_set_cc(packet, r->cc[pid]);
	r->cc[pid] = (r->cc[pid] + 1) & 0x0f;
	r->sent_at[pid] = (uint32_t)r->packets;
}

/* --- queues --- */

/* Prepares a queue; call it before a section is queued. */
static struct section_queue *wake(struct remux *r, struct waiting *w)
{
	if (w->queue.n == 0)
		w->served_at = r->packets;
	w->blocked_to = 0;
	return &w->queue;
}

void remux_queue(struct remux *r, struct waiting *w, uint16_t pid,
		 const uint8_t *section, size_t len)
{
	if (!section_queue_push(wake(r, w), pid, section, len))
		r->counted.dropped++;
}

static void push(struct remux *r, struct waiting *w, uint16_t pid,
		 const struct table *t)
{
	if (t->len > 0)
		remux_queue(r, w, pid, t->data, t->len);
}

/* Queues the PAT in front of the PMTs, unless a PAT waits there. */
static void push_pat(struct remux *r)
{
	struct section_queue *q = wake(r, &r->psi_waiting);

	if (q->n > 0 && ts_pid(section_queue_at(q, 0)) == TS_PID_PAT)
		return;
	for (size_t i = r->n_pat; i-- > 0;)
		(void)section_queue_push_first(q, TS_PID_PAT, r->pat[i].data,
					       r->pat[i].len);
}

/* Queues as many PMTs as have room.  The others are queued as packets are
 * sent. */
static void push_pmts(struct remux *r)
{
	struct section_queue *q = wake(r, &r->psi_waiting);

	while (r->due.next_pmt < r->n_programs) {
		const struct program *p = &r->programs[r->due.next_pmt];

		if (p->pmt.len > 0 &&
		    (q->n + section_packets(p->pmt.len) + PAT_PACKETS_MAX >
			     SECTION_QUEUE_MAX ||
		     !section_queue_push(q, p->pmt_out, p->pmt.data,
					 p->pmt.len)))
			return;
		if (p->pmt.len == 0 && r->due.pmts_left > 0)
			r->due.pmts_left--;
		r->due.next_pmt++;
	}
}

/* --- places --- */

/* True if no earlier packet of the queue has the PID of packet i: the packets
 * of a PID must stay in order. */
static bool is_first_of_pid(const struct section_queue *q, size_t i)
{
	uint16_t pid = ts_pid(section_queue_at(q, i));

	for (size_t k = 0; k < i; k++)
		if (ts_pid(section_queue_at(q, k)) == pid)
			return false;
	return true;
}

/* Sends the first packet of the queue whose PID had no generated packet for
 * `distance' packets of the source.  False: no packet may be sent yet. */
static bool send_from(struct remux *r, struct waiting *w, uint64_t distance)
{
	struct section_queue *q = &w->queue;
	uint32_t now = (uint32_t)r->packets;
	uint64_t earliest = UINT64_MAX;

	if (distance > 0 && r->packets < w->blocked_to)
		return false;
	for (size_t i = 0; i < q->n; i++) {
		const uint8_t *packet = section_queue_at(q, i);
		uint32_t since = now - r->sent_at[ts_pid(packet)];
		uint64_t at;

		/* PAT and PMT share a buffer of the receiver, in which the
		 * first packet of a PMT, but no further one, has room right
		 * behind a packet of the PAT. */
		if (w == &r->psi_waiting && !ts_pusi(packet))
			since = MIN(since, now - r->sent_at[TS_PID_PAT]);
		at = r->packets + (since < distance ? distance - since : 0);
		/* Programs can share a PMT PID.  So the start of a section
		 * could be sent when the rest of the section in front of it
		 * still has to wait. */
		if (at >= earliest || !is_first_of_pid(q, i))
			continue;
		earliest = at;
		if (at > r->packets)
			continue;
		if (w == &r->psi_waiting && ts_pusi(packet) &&
		    ts_pid(packet) != TS_PID_PAT && r->due.pmts_left > 0)
			r->due.pmts_left--;
		send(r, section_queue_take(q, i));
		w->served_at = r->packets;
		return true;
	}
	w->blocked_to = q->n > 0 ? earliest : 0;
	return false;
}

static uint64_t spacing(const struct remux *r)
{
	return r->spacing > 0 ? r->spacing : SPACING_DEFAULT;
}

static bool send_psi(struct remux *r)
{
	if (!send_from(r, &r->psi_waiting, spacing(r)))
		return false;
	if (r->due.next_pmt < r->n_programs)
		push_pmts(r);
	return true;
}

static bool is_long(const struct remux *r)
{
	return r->si_waiting.queue.n > SECTION_QUEUE_MAX / 2;
}

static bool send_si(struct remux *r)
{
	/* In a long queue packets are sent closer together, so that none is
	 * dropped. */
	return send_from(r, &r->si_waiting,
			 is_long(r) ? spacing(r) / 4 : spacing(r));
}

bool remux_take_place(struct remux *r, enum place place)
{
	bool si_first = r->psi_in_row >= PSI_SHARE;

	switch (place) {
	case PLACE_PSI:
		return send_psi(r) || send_si(r);
	case PLACE_SI:
		return send_from(r, &r->si_waiting, 0) || send_psi(r);
	case PLACE_OTHER:
		break;
	}
	if (!si_first && send_psi(r)) {
		r->psi_in_row += r->si_waiting.queue.n > 0;
		return true;
	}
	if (send_si(r)) {
		r->psi_in_row = 0;
		return true;
	}
	return si_first && send_psi(r);
}

static bool is_overdue(const struct remux *r, const struct waiting *w)
{
	uint64_t d = spacing(r);

	return w->queue.n > 0 &&
	       r->packets - w->served_at > d + d / 2 + PATIENCE;
}

void remux_make_room(struct remux *r)
{
	if (is_overdue(r, &r->psi_waiting) && send_psi(r))
		return;
	if (is_long(r) || is_overdue(r, &r->si_waiting))
		(void)send_si(r);
}

/* --- schedule --- */

/* True if a table is due.  The next time is one interval after the time that
 * was due, so that a late table does not delay the next one, unless it is late
 * by more than an interval. */
static bool is_due(const struct remux *r, uint64_t *due, unsigned interval_ms)
{
	uint64_t interval = interval_ms * MS_TICKS, now = r->clock.ticks;

	if (now < *due)
		return false;
	*due = (now - *due < interval ? *due : now) + interval;
	return true;
}

void remux_schedule(struct remux *r)
{
	if (!r->settled && r->n_programs > 0 && remux_has_settled(r))
		remux_rebuild(r);
	if (r->n_pat == 0)
		return;
	if (r->sdt_waits && r->clock.ticks >= r->sdt_due)
		remux_build_sdt(r);
	/* no further PMTs are queued while earlier ones wait */
	if (r->psi_waiting.queue.n == 0 && is_due(r, &r->due.pmt, PSI_MS)) {
		r->due.next_pmt = 0;
		r->due.pmts_left = r->n_programs;
		push_pmts(r);
	}
	if (is_due(r, &r->due.pat, PSI_MS))
		push_pat(r);
	if (is_due(r, &r->due.sdt, SDT_MS))
		push(r, &r->si_waiting, SI_PID_SDT, &r->sdt);
	if (is_due(r, &r->due.ait, AIT_MS))
		push(r, &r->si_waiting, r->plan.ait, &r->ait);
	if (is_due(r, &r->due.cat, CAT_MS))
		for (size_t i = 0; i < CAT_SECTIONS_MAX; i++)
			push(r, &r->si_waiting, SI_PID_CAT, &r->cat[i]);
}

static void send_all(struct remux *r)
{
	const uint8_t *packet;

	while ((packet = section_queue_pop(&r->psi_waiting.queue)) != NULL)
		send(r, packet);
}

void remux_announce(struct remux *r)
{
	size_t left = r->n_pat > 0 ? MIN(r->due.pmts_left, r->n_programs) : 0;

	section_queue_clear(&r->psi_waiting.queue);
	send_all(r);
	push_pat(r);
	for (size_t i = 0; i < r->n_programs; i++) {
		const struct program *p = &r->programs[i];

		if (!p->changed || p->pmt.len == 0)
			continue;
		push(r, &r->psi_waiting, p->pmt_out, &p->pmt);
		send_all(r);
	}
	send_all(r);
	/* the PMTs of this interval that were not sent yet continue by
	 * schedule */
	r->due.next_pmt = r->n_programs - left;
	push_pmts(r);
	r->due.pat = r->clock.ticks + PSI_MS * MS_TICKS;
	if (r->single)
		r->due.pmt = r->due.pat;
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

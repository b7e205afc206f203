/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PAT and PMTs of the multiplex.  A PMT of an input takes effect when its
 * packets leave the line of the input.  The mux sends each section at equal
 * intervals, and at once after a change. */
#include "common/base/alloc.h"
#include "common/base/units.h"
#include "worker/mux/mux_state.h"
#include "worker/remux/psi_build.h"
#include "worker/ts/pmt.h"
#include "worker/ts/t_std.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* From a section to its next copy: below the 100 ms of TR 101 211 4.4,
	 * even if other packets delay it. */
	PMT_MS = 90,
	/* Least distance between two sections of a table (EN 300 468 5.1.4). */
	GAP_MS = 25,
	/* The first interval of a PMT is shorter, by STAGGER different lengths,
	 * so that PMTs that began together are not sent together. */
	STAGGER = 16,
	/* From a packet of a section to the next one: in this time the
	 * transport buffer of the decoder drains one packet. */
	PACKET_US = 1000000 * 8 / (T_STD_TABLES_BPS / TS_PACKET) + 100,
	/* If mux_turn() is called late, copies that were due longer ago than
	 * this are not sent. */
	MISSED_MS = 1000,
	/* All sections of PAT and PMTs together have at most this part (1 /
	 * SHARE) of the rate; if there are many, their intervals are longer. */
	SHARE = 2,
};

/* --- the list --- */

static struct mux_pmt *find(struct mux_pmt *list, size_t n, uint16_t number,
			    uint16_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].number == number && list[i].pid == pid)
			return &list[i];
	return NULL;
}

static void find_next(struct mux *m)
{
	m->pmt_ns = UINT64_MAX;
	for (size_t i = 0; i < m->n_pmts; i++)
		if (m->pmts[i].due_ns < m->pmt_ns) {
			m->pmt_ns = m->pmts[i].due_ns;
			m->next_pmt = i;
		}
}

/* Sets the time between two copies of a section, which is longer if all
 * sections together would have too much of the rate. */
static void weigh(struct mux *m)
{
	uint64_t packets = 0;

	for (size_t i = 0; i < m->n_pmts; i++)
		packets += section_packets(m->pmts[i].len);
	for (size_t i = 0; i < m->pat.n; i++)
		packets += section_packets(m->pat.sections[i].len);
	m->pmt_every_ns = MAX(PMT_MS * MS, packets * SHARE * PACKET_NS_KBPS /
						   m->cfg.kbps);
}

/* The entry that this service number and PID have in the old list, or a new
 * one. */
static struct mux_pmt carry_over(const struct mux *m, uint16_t number,
				 uint16_t pid)
{
	const struct mux_pmt *old = find(m->pmts, m->n_pmts, number, pid);

	return old != NULL ? *old : (struct mux_pmt){
		.number = number, .pid = pid,
		.due_ns = m->now_ns + PMT_MS * MS };
}

/* Lets a section leave at at_ns, GAP_MS after its last copy or at begin_ns,
 * whichever is the latest, or at due_ns if that is earlier. */
static void hurry(struct mux_pmt *p, uint64_t at_ns)
{
	uint64_t from_ns = p->sent_ns != 0 ? p->sent_ns + GAP_MS * MS : 0;

	p->due_ns = MIN(p->due_ns, MAX(MAX(at_ns, from_ns), p->begin_ns));
}

/* The entry of a service, on any PMT PID; NULL: it has no entry. */
static const struct mux_pmt *find_number(const struct mux *m, size_t input,
					 uint16_t number)
{
	for (size_t i = 0; i < m->n_pmts; i++)
		if (m->pmts[i].pid != TS_PID_PAT &&
		    m->pmts[i].input == input &&
		    m->pmts[i].number == number)
			return &m->pmts[i];
	return NULL;
}

static bool has_service(const struct mux_source *in, uint16_t number)
{
	size_t k = 0;

	while (k < in->n_services && in->services[k].new_number != number)
		k++;
	return k < in->n_services;
}

/* If exactly one service has left the input and exactly one is new, the entry
 * of the service that has left; otherwise NULL. */
static const struct mux_pmt *find_replaced(const struct mux *m, size_t input)
{
	const struct mux_source *in = &m->inputs[input];
	const struct mux_pmt *left = NULL;
	size_t n_left = 0, n_new = 0;

	for (size_t i = 0; i < m->n_pmts; i++) {
		const struct mux_pmt *old = &m->pmts[i];

		if (old->pid == TS_PID_PAT || old->input != input ||
		    has_service(in, old->number))
			continue;
		left = old;
		n_left++;
	}
	for (size_t k = 0; k < in->n_services; k++)
		n_new += find_number(m, input, in->services[k].new_number) ==
			 NULL;
	return n_left == 1 && n_new == 1 ? left : NULL;
}

/* Gives a new entry its first PMT, behind a PAT that leaves at pat_ns.  If
 * there is a former entry, of the same service on another PID or of the service
 * that this one replaces, its PMT is sent first: packets that wait in the line
 * belong to it.  Otherwise the PMT of the remux is sent at once. */
static void begin_pmt(const struct mux *m, struct mux_pmt *p, uint64_t pat_ns,
		      const struct mux_pmt *replaced)
{
	const struct mux_pmt *former = find_number(m, p->input, p->number);
	size_t len = 0;
	const uint8_t *section = remux_pmt(m->inputs[p->input].remux,
					   p->number, &len);
	uint8_t version = len > 0 ? (uint8_t)(section[5] >> 1) : 0;

	if (former == NULL)
		former = replaced;
	if (former != NULL && former->len > 0) {
		section = former->data;
		len = former->len;
	}
	if (len == 0 || len > sizeof p->data)
		return;
	memcpy(p->data, section, len);
	p->len = len;
	p->due_ns = p->begin_ns = pat_ns;
	if ((section[3] << 8 | section[4]) == p->number)
		return;
	p->data[3] = (uint8_t)(p->number >> 8);
	p->data[4] = (uint8_t)p->number;
	/* with a version other than that of the new PMT */
	section_set_version(p->data, len, (version + 31U) & 31U);
}

void mux_list_pmts(struct mux *m)
{
	struct mux_pmt *list = xcalloc(MUX_SERVICES_MAX + MUX_SECTIONS_MAX,
				       sizeof *list);
	uint64_t pat_ns = m->now_ns; /* when the last section of the PAT
				      * leaves */
	size_t n = m->pat.n;

	/* The sections of the PAT come first, so that the PAT precedes PMTs
	 * that are due at the same time. */
	for (size_t i = 0; i < n; i++) {
		list[i] = carry_over(m, (uint16_t)i, TS_PID_PAT);
		hurry(&list[i], m->now_ns);
		pat_ns = MAX(pat_ns, list[i].due_ns);
	}
	memset(m->pmt_pids, 0, sizeof m->pmt_pids);
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];
		const struct mux_pmt *replaced = find_replaced(m, i);

		for (size_t k = 0; k < in->n_services; k++) {
			const struct remux_service *s = &in->services[k];

			list[n] = carry_over(m, s->new_number, s->pmt_pid);
			list[n].input = (uint8_t)i;
			list[n].service = (uint16_t)k;
			if (m->settled && list[n].len == 0)
				begin_pmt(m, &list[n], pat_ns, replaced);
			place_take(m->pmt_pids, s->pmt_pid);
			n++;
		}
	}
	free(m->pmts);
	m->pmts = list;
	m->n_pmts = n;
	weigh(m);
	find_next(m);
}

void mux_begin_pmts(struct mux *m)
{
	for (size_t i = 0; i < m->n_pmts; i++)
		m->pmts[i].due_ns = MAX(m->pmts[i].due_ns, m->now_ns);
	find_next(m);
}

/* --- PMTs of the inputs --- */

/* Stores a section that is sent from at_ns on.  If it has changed, or was not
 * sent for PMT_MS, it is sent at at_ns. */
static void keep(struct mux *m, struct mux_pmt *p, const uint8_t *section,
		 size_t len, uint64_t at_ns)
{
	bool changed = len != p->len || memcmp(section, p->data, len) != 0;

	if (changed) {
		memcpy(p->data, section, len);
		p->len = len;
		weigh(m);
	}
	if (changed || at_ns - MIN(p->sent_ns, at_ns) > PMT_MS * MS)
		hurry(p, at_ns);
}

/* Stores a PMT of an input with keep(), unless the filler of its service holds
 * it back. */
static void take(struct mux *m, struct mux_pmt *p, const uint8_t *section,
		 size_t len, uint64_t at_ns)
{
	struct mux_source *in = &m->inputs[p->input];

	if (p->len == 0 ||
	    !mux_fill_holds_pmt(&in->states[p->service], section, len))
		keep(m, p, section, len, at_ns);
}

/* The entry of the nth service of an input; NULL: it has no entry. */
static struct mux_pmt *find_service(const struct mux *m,
				    const struct mux_source *in, size_t nth)
{
	const struct remux_service *s = &in->services[nth];
	struct mux_pmt *p = find(m->pmts, m->n_pmts, s->new_number,
				 s->pmt_pid);

	return p != NULL && &m->inputs[p->input] == in ? p : NULL;
}

void mux_renew_pmt(struct mux *m, const struct mux_source *in, size_t nth)
{
	struct mux_pmt *p = find_service(m, in, nth);
	const uint8_t *section;
	size_t len;

	if (p == NULL)
		return;
	section = remux_pmt(in->remux, p->number, &len);
	if (section == NULL || len > sizeof p->data)
		return;
	take(m, p, section, len, m->now_ns);
	find_next(m);
}

void mux_send_held_pmt(struct mux *m, const struct mux_source *in, size_t nth,
		       const uint8_t *section, size_t len)
{
	struct mux_pmt *p = find_service(m, in, nth);

	if (p == NULL)
		return;
	keep(m, p, section, len, m->now_ns);
	find_next(m);
}

void mux_take_pmt(struct mux *m, struct mux_source *in, const uint8_t *packet,
		  uint64_t at_ns)
{
	uint16_t pid = ts_pid(packet);
	const uint8_t *section;
	size_t len;

	if (pid != in->pmt_pid)
		section_reset(&in->pmt.assembler);
	in->pmt_pid = pid;
	section_push(&in->pmt.assembler, packet);
	while ((section = section_pull(&in->pmt.assembler, &len)) != NULL) {
		struct mux_pmt *p;

		if (!section_has_syntax(section))
			continue;
		p = find(m->pmts, m->n_pmts,
			 (uint16_t)(section[3] << 8 | section[4]), pid);
		if (p != NULL && &m->inputs[p->input] == in &&
		    section_table_id(section) == PMT_TABLE_ID &&
		    len <= sizeof p->data)
			take(m, p, section, len, at_ns);
	}
	find_next(m);
}

/* --- sections that are sent --- */

/* The section to send; NULL: none.  While an input is silent and its line is
 * empty, this is the PMT of its remux, which may have changed. */
static const uint8_t *content(const struct mux *m, const struct mux_pmt *p,
			      size_t *ret_len)
{
	const struct mux_source *in = &m->inputs[p->input];

	if (p->pid == TS_PID_PAT) {
		*ret_len = m->pat.sections[p->number].len;
		return m->pat.sections[p->number].data;
	}
	if (in->states[p->service].absent)
		return NULL;
	if (in->silent && in->line.n == 0 &&
	    (p->len == 0 || !mux_fill_keeps_pmt(&in->states[p->service])))
		return remux_pmt(in->remux, p->number, ret_len);
	*ret_len = p->len;
	return p->len > 0 ? p->data : NULL;
}

/* Sends the packets of a section, PACKET_US apart from at_ns on. */
static void send(struct mux *m, const struct mux_pmt *p, uint64_t at_ns,
		 const uint8_t *section, size_t len)
{
	uint8_t packets[SECTION_PSI_PACKETS * TS_PACKET], cc = 0;
	size_t n = section_packets(len);

	mux_make_room(m, n);
	(void)section_pack(section, len, p->pid, &cc, packets);
	/* the counter in the output continues; `cc' always starts at 0 */
	mux_counters_forget(&m->counters, p->pid);
	for (size_t i = 0; i < n; i++) {
		uint8_t *packet = packets + i * TS_PACKET;

		(void)mux_counters_feed(&m->counters, MUX_TABLES_SOURCE,
					packet);
		if (i == 0)
			mux_give(m, packet, at_ns);
		else
			waiting_add(&m->waiting, at_ns, packet);
		at_ns += PACKET_US * UINT64_C(1000);
	}
	/* the other sections of this PID leave behind it */
	for (size_t i = 0; i < m->n_pmts; i++)
		if (&m->pmts[i] != p && m->pmts[i].pid == p->pid)
			m->pmts[i].due_ns = MAX(m->pmts[i].due_ns, at_ns);
}

void mux_send_pmt(struct mux *m)
{
	struct mux_pmt *p = &m->pmts[m->next_pmt];
	size_t len = 0;
	const uint8_t *section = content(m, p, &len);
	bool sent = section != NULL && len <= SECTION_PSI_MAX;

	if (sent && waiting_has(&m->waiting, p->pid)) {
		p->due_ns += PACKET_US * UINT64_C(1000);
	} else {
		/* behind all packets that cbr has, as for packets of an
		 * input */
		uint64_t at_ns = MAX(p->due_ns, m->free_ns);
		uint64_t every = m->pmt_every_ns, due_ns;

		if (p->sent_ns == 0)
			every = every / 2 + every / 2 *
				(m->next_pmt % STAGGER) / STAGGER;
		due_ns = at_ns + every;
		if (sent) {
			send(m, p, at_ns, section, len);
			p->sent_ns = at_ns;
		}
		p->due_ns = MAX(due_ns, m->now_ns -
					MIN(MISSED_MS * MS, m->now_ns));
	}
	find_next(m);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of packets: each one leaves mux_delay after its source sent it, in
 * the order of these times over all inputs. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/mux/mux_state.h"

/* What the last worker did not send is not sent if it is later than this: it
 * would arrive behind its time in the decoder. */
enum { LATE_MS = 200 };

enum {
	/* Between two PMTs of a program: of an input that has packets, 500 ms
	 * at most (TR 101 290 1.5), and of a silent one; how often they are
	 * looked at. */
	PMT_MOST_MS = 380,
	PMT_LOOK_MS = 40,
	PMT_SILENT_MS = 100,
	PMT_PACKETS_MAX = (SECTION_PSI_MAX + 184) / 184,
};

/* The duration of a packet, times kbit/s. */
#define PACKET_NS_KBPS (UINT64_C(8000000) * TS_PACKET)

/* The packets of a lane that leave in this turn. */
struct lane_turn {
	size_t left;
	uint64_t next_ns; /* UINT64_MAX: none is left */
};

/* The sources of packets in a turn: inputs, then lanes, then those that
 * wait. */
struct turn {
	struct lane_turn lanes[MUX_LANES];
	uint64_t next_ns[MUX_INPUTS_MAX];
};

void mux_count_due(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		m->inputs[i].due = delay_line_due(&m->inputs[i].line,
						  m->turn_ns, m->now_ns);
}

void mux_drop_due(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		for (struct mux_source *in = &m->inputs[i]; in->due > 0;
		     in->due--)
			delay_line_drop(&in->line);
}

void mux_drop_late(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		while (delay_line_next(&in->line, 0) < m->now_ns -
						       LATE_MS * MS)
			delay_line_drop(&in->line);
	}
}

static void give(struct mux *m, const uint8_t *packet, uint64_t at_ns)
{
	m->sent[ts_pid(packet)]++;
	m->given_ms[ts_pid(packet)] = (uint32_t)(m->now_ns / MS);
	m->place_ns = MAX(m->place_ns, MIN(at_ns, m->now_ns));
	m->free_ns = MAX(m->free_ns, m->place_ns) +
		     PACKET_NS_KBPS / m->cfg.kbps;
	cbr_feed_at(m->cbr, packet, m->place_ns, m->now_ns);
}

static void give_waiting(struct mux *m)
{
	struct waiting_packet *p = waiting_take(&m->waiting);

	give(m, p->data, p->at_ns);
}

static void give_input(struct mux *m, size_t input, uint64_t at_ns)
{
	struct mux_source *in = &m->inputs[input];
	uint8_t *packet = delay_line_first(&in->line);
	/* packets of the other inputs may have its place */
	uint64_t first = MAX(at_ns, m->free_ns), place;

	if (mux_admits(m, in, packet) &&
	    mux_counters_feed(&m->counters, delay_line_source(&in->line),
			      packet)) {
		spread_learn(&m->spread, packet);
		place = spread_place(&m->spread, ts_pid(packet), first);
		in->packets++;
		if (place > first ||
		    waiting_has(&m->waiting, ts_pid(packet))) {
			if (waiting_is_full(&m->waiting))
				give_waiting(m);
			waiting_add(&m->waiting, place, packet);
		} else {
			give(m, packet, at_ns);
		}
	}
	delay_line_leave(&in->line, at_ns);
}

static void give_lane(struct mux *m, struct lane *l, struct lane_turn *t)
{
	uint8_t *packet = l->fifo.memory + l->fifo.head * TS_PACKET;

	if (mux_counters_feed(&m->counters, MUX_TABLES_SOURCE, packet))
		give(m, packet, t->next_ns);
	fifo_drop(&l->fifo, 1);
	t->next_ns = --t->left > 0 ? t->next_ns + LANE_SPACING_MS * MS
				   : UINT64_MAX;
}

static void begin(struct mux *m, struct turn *t)
{
	for (size_t i = 0; i < MUX_LANES; i++) {
		size_t n = lane_due(&m->lanes[i], m->now_ns);

		t->lanes[i].left = n;
		t->lanes[i].next_ns =
			n == 0 ? UINT64_MAX
			       : m->now_ns - (n - 1) * LANE_SPACING_MS * MS;
	}
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		t->next_ns[i] = delay_line_next(&m->inputs[i].line,
						m->turn_ns);
	if (m->tables_changed)
		spread_follow(&m->spread, m->psi);
	m->tables_changed = false;
}

/* --- PMTs --- */

/* The PMT that follows those that wait: of an input without packets that of its
 * remux, which may have changed, else the last one that was sent. */
static const uint8_t *find_pmt(const struct mux *m, const struct mux_source *in,
			       const struct remux_service *s, size_t *ret_len)
{
	const struct psi_program *p = psi_program_find(m->psi, s->new_number);

	if (in->silent && in->line.n == 0)
		return remux_pmt(in->remux, s->new_number, ret_len);
	if (p == NULL || p->pmt.data == NULL || p->pmt_pid != s->pmt_pid)
		return NULL;
	*ret_len = p->pmt.len;
	return p->pmt.data;
}

static void repeat_pmt(struct mux *m, uint16_t pid, const uint8_t *section,
		       size_t len)
{
	uint8_t packets[PMT_PACKETS_MAX * TS_PACKET], cc = 0;
	size_t n = section_packets(len);

	if (n > PMT_PACKETS_MAX || m->waiting.n + n > WAITING_MAX)
		return;
	(void)section_pack(section, len, pid, &cc, packets);
	/* its counter continues, whoever sent the last one */
	mux_counters_forget(&m->counters, pid);
	for (size_t i = 0; i < n; i++) {
		uint8_t *packet = packets + i * TS_PACKET;

		(void)mux_counters_feed(&m->counters, MUX_TABLES_SOURCE,
					packet);
		waiting_add(&m->waiting,
			    spread_place(&m->spread, pid, m->now_ns), packet);
	}
}

/* The PMTs on a PID of an input. */
static void repeat_pid(struct mux *m, const struct mux_source *in, uint16_t pid)
{
	for (size_t i = 0; i < in->n_services; i++) {
		const uint8_t *section;
		size_t len;

		if (in->services[i].pmt_pid != pid)
			continue;
		section = find_pmt(m, in, &in->services[i], &len);
		if (section != NULL)
			repeat_pmt(m, pid, section, len);
	}
}

/* Repeats the PMTs that no input has sent for too long: the input is silent, or
 * its first packets after a silence wait for mux_delay.  The last PMT that was
 * given has left then, and is known. */
static void repeat_pmts(struct mux *m)
{
	uint64_t queue_ms = cbr_waiting(m->cbr) * PACKET_NS_KBPS /
			    m->cfg.kbps / MS;

	if (m->now_ns < m->pmts_ns)
		return;
	m->pmts_ns = m->now_ns + PMT_LOOK_MS * MS;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];
		uint64_t most = in->silent ? PMT_SILENT_MS : PMT_MOST_MS;

		for (size_t k = 0; k < in->n_services && !in->absent; k++) {
			uint16_t pid = in->services[k].pmt_pid;
			uint32_t ms = (uint32_t)(m->now_ns / MS) -
				      m->given_ms[pid];

			if (ms > MAX(most, 2 * queue_ms) &&
			    !waiting_has(&m->waiting, pid))
				repeat_pid(m, in, pid);
		}
	}
}

/* Gives the next packet; false: no other one is due. */
static bool give_next(struct mux *m, struct turn *t)
{
	uint64_t next = waiting_next(&m->waiting);
	size_t found = MUX_INPUTS_MAX + MUX_LANES;

	/* what cbr has reaches up to its place: it would wait there again */
	if (m->free_ns > m->now_ns && next <= m->free_ns) {
		give_waiting(m);
		return true;
	}
	for (size_t i = 0; i < MUX_LANES; i++) {
		if (t->lanes[i].next_ns < next) {
			next = t->lanes[i].next_ns;
			found = MUX_INPUTS_MAX + i;
		}
	}
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		if (t->next_ns[i] < next) {
			next = t->next_ns[i];
			found = i;
		}
	}
	if (next > m->now_ns)
		return false;
	if (found < MUX_INPUTS_MAX) {
		give_input(m, found, next);
		t->next_ns[found] = delay_line_next(&m->inputs[found].line,
						    m->turn_ns);
	} else if (found < MUX_INPUTS_MAX + MUX_LANES) {
		give_lane(m, &m->lanes[found - MUX_INPUTS_MAX],
			  &t->lanes[found - MUX_INPUTS_MAX]);
	} else {
		give_waiting(m);
	}
	return true;
}

void mux_place_due(struct mux *m)
{
	struct turn t;

	begin(m, &t);
	repeat_pmts(m);
	while (give_next(m, &t)) {
	}
}

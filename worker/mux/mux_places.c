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

enum { LEAVES_MAX = 64 };

_Static_assert(MUX_LANES + MUX_INPUTS_MAX <= LEAVES_MAX, "each has a leaf");

/* The sources of packets in a turn, lanes and then inputs: the leaves of a tree
 * whose nodes have the first one below them, so that each packet costs a path
 * and not a look at all sources.  Packets that wait are beside it. */
struct turn {
	size_t left[MUX_LANES]; /* packets of a lane that leave */
	size_t leaves; /* a power of two */
	uint64_t next_ns[LEAVES_MAX]; /* UINT64_MAX: none */
	uint8_t first[2 * LEAVES_MAX]; /* of the nodes, from 1; then leaves */
};

static void decide(struct turn *t, size_t node)
{
	uint8_t a = t->first[2 * node], b = t->first[2 * node + 1];

	t->first[node] = t->next_ns[a] <= t->next_ns[b] ? a : b;
}

static void set_next(struct turn *t, size_t source, uint64_t next_ns)
{
	t->next_ns[source] = next_ns;
	for (size_t node = (t->leaves + source) / 2; node > 0; node /= 2)
		decide(t, node);
}

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

static void give_lane(struct mux *m, struct lane *l, uint64_t at_ns)
{
	uint8_t *packet = l->fifo.memory + l->fifo.head * TS_PACKET;

	if (mux_counters_feed(&m->counters, MUX_TABLES_SOURCE, packet))
		give(m, packet, at_ns);
	fifo_drop(&l->fifo, 1);
}

static void begin(struct mux *m, struct turn *t)
{
	for (size_t i = 0; i < MUX_LANES; i++) {
		size_t n = lane_due(&m->lanes[i], m->now_ns);

		t->left[i] = n;
		t->next_ns[i] = n == 0 ? UINT64_MAX
				       : m->now_ns - (n - 1) *
					 LANE_SPACING_MS * MS;
	}
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		t->next_ns[MUX_LANES + i] =
			delay_line_next(&m->inputs[i].line, m->turn_ns);
	t->leaves = 1;
	while (t->leaves < MUX_LANES + m->cfg.n_inputs)
		t->leaves *= 2;
	for (size_t i = MUX_LANES + m->cfg.n_inputs; i < t->leaves; i++)
		t->next_ns[i] = UINT64_MAX;
	for (size_t i = 0; i < t->leaves; i++)
		t->first[t->leaves + i] = (uint8_t)i;
	for (size_t node = t->leaves; --node > 0;)
		decide(t, node);
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
	/* behind what cbr has, as the next packets of the input */
	uint64_t at_ns = MAX(m->now_ns, m->free_ns);
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
			    spread_place(&m->spread, pid, at_ns), packet);
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
	uint64_t waiting = waiting_next(&m->waiting), next;
	size_t found = t->first[1];

	/* what cbr has reaches up to its place: it would wait there again */
	if (m->free_ns > m->now_ns && waiting <= m->free_ns) {
		give_waiting(m);
		return true;
	}
	next = MIN(waiting, t->next_ns[found]);
	if (next > m->now_ns)
		return false;
	if (waiting == next) {
		give_waiting(m);
	} else if (found < MUX_LANES) {
		give_lane(m, &m->lanes[found], next);
		set_next(t, found, --t->left[found] > 0
					   ? next + LANE_SPACING_MS * MS
					   : UINT64_MAX);
	} else {
		size_t input = found - MUX_LANES;

		give_input(m, input, next);
		set_next(t, found, delay_line_next(&m->inputs[input].line,
						   m->turn_ns));
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

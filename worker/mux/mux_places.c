/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The positions of packets in the output: each packet leaves mux_delay after
 * its source sent it, and the packets of all inputs are sent in the order of
 * these times. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/filler/filler.h"
#include "worker/mux/mux_state.h"

/* When sending starts, packets that are later than this are dropped, because a
 * decoder would receive them too late. */
enum { LATE_MS = 200 };

enum {
	LEAVES_MAX = 64, /* a power of two */
	/* leaf of PAT and PMTs; the leaves before it are the lanes */
	LEAF_PMT = MUX_LANES,
	LEAF_INPUT, /* leaf of the first input; the other inputs follow */
};

_Static_assert(LEAF_INPUT + MUX_INPUTS_MAX <= LEAVES_MAX,
	       "each has a leaf");

/* The sources of packets in one mux_turn(): lanes, PMTs and inputs.  They are
 * the leaves of a binary tree.  Each node has the leaf below it whose packet
 * leaves first, so that a packet costs one path through the tree and no search
 * in all sources.  `waiting' is not in the tree. */
struct turn {
	size_t left[MUX_LANES]; /* for each lane: packets that leave in this
				 * mux_turn() */
	size_t leaves; /* number of leaves, a power of two */
	uint64_t next_ns[LEAVES_MAX]; /* for each leaf: time of its next packet;
				       * UINT64_MAX: none */
	uint8_t first[2 * LEAVES_MAX]; /* [1] to [leaves - 1]: for each node,
					* the leaf that is first; from [leaves]
					* on: the leaves themselves */
};

/* Sets the leaf below a node whose packet leaves first. */
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

static void __attribute__((noinline)) keep_picture(struct mux *m,
						   const uint8_t *packet)
{
	filler_feed(m->filler, &(struct ts_run){ packet, 1 }, 1);
}

void mux_give(struct mux *m, const uint8_t *packet, uint64_t at_ns)
{
	m->sent[ts_pid(packet)]++;
	m->place_ns = MAX(m->place_ns, MIN(at_ns, m->now_ns));
	m->free_ns = MAX(m->free_ns, m->place_ns) + m->packet_ns;
	cbr_feed_at(m->cbr, packet, m->place_ns, m->now_ns);
	if (m->filler != NULL && place_has(m->fill_pids, ts_pid(packet)))
		keep_picture(m, packet);
}

static void give_waiting(struct mux *m)
{
	struct waiting_packet *p = waiting_take(&m->waiting);

	mux_give(m, p->data, p->at_ns);
}

void mux_make_room(struct mux *m, size_t n)
{
	while (m->waiting.n + n > WAITING_MAX)
		give_waiting(m);
}

static void give_input(struct mux *m, size_t input, uint64_t at_ns)
{
	struct mux_source *in = &m->inputs[input];
	uint8_t *packet = delay_line_first(&in->line);
	/* packets of other inputs may have taken its position */
	uint64_t first = MAX(at_ns, m->free_ns), place;
	uint16_t pid = ts_pid(packet);

	if (place_has(m->pmt_pids, pid)) {
		mux_take_pmt(m, in, packet, at_ns);
	} else if (mux_admits(m, in, packet) &&
		   mux_counters_feed(&m->counters,
				     delay_line_source(&in->line), packet)) {
		if (ts_pusi(packet))
			spread_learn(&m->spread, packet);
		place = spread_place(&m->spread, pid, first);
		in->packets++;
		if (place > first || waiting_has(&m->waiting, pid)) {
			mux_make_room(m, 1);
			waiting_add(&m->waiting, place, packet);
		} else {
			mux_give(m, packet, at_ns);
		}
	}
	delay_line_leave(&in->line, at_ns);
}

/* Builds the tree of this mux_turn(). */
static void begin(struct mux *m, struct turn *t)
{
	for (size_t i = 0; i < MUX_LANES; i++) {
		size_t n = lane_due(&m->lanes[i], m->now_ns);

		t->left[i] = n;
		t->next_ns[i] = n == 0 ? UINT64_MAX
				       : m->now_ns - (n - 1) *
					 LANE_SPACING_MS * MS;
	}
	t->next_ns[LEAF_PMT] = m->pmt_ns;
	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		t->next_ns[LEAF_INPUT + i] =
			delay_line_next(&m->inputs[i].line, m->turn_ns);
	t->leaves = 1;
	while (t->leaves < LEAF_INPUT + m->cfg.n_inputs)
		t->leaves *= 2;
	for (size_t i = LEAF_INPUT + m->cfg.n_inputs; i < t->leaves; i++)
		t->next_ns[i] = UINT64_MAX;
	for (size_t i = 0; i < t->leaves; i++)
		t->first[t->leaves + i] = (uint8_t)i;
	for (size_t node = t->leaves; --node > 0;)
		decide(t, node);
	if (m->tables_changed)
		spread_follow(&m->spread, m->psi);
	m->tables_changed = false;
}

/* Passes the next packet to cbr.  False: no packet is due by now_ns. */
static bool give_next(struct mux *m, struct turn *t)
{
	uint64_t waiting = waiting_next(&m->waiting), next;
	size_t found = t->first[1];

	/* cbr already has packets up to free_ns.  A packet that is due by then
	 * can be passed to cbr now, because it gets a position behind them
	 * anyway. */
	if (m->free_ns > m->now_ns && m->pmt_ns <= m->free_ns) {
		mux_send_pmt(m);
		set_next(t, LEAF_PMT, m->pmt_ns);
		return true;
	}
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
		struct fifo *fifo = &m->lanes[found].fifo;
		uint8_t *packet = fifo->memory + fifo->head * TS_PACKET;

		if (mux_counters_feed(&m->counters, MUX_TABLES_SOURCE, packet))
			mux_give(m, packet, next);
		fifo_drop(fifo, 1);
		set_next(t, found, --t->left[found] > 0
					   ? next + LANE_SPACING_MS * MS
					   : UINT64_MAX);
	} else if (found == LEAF_PMT) {
		mux_send_pmt(m);
	} else {
		size_t input = found - LEAF_INPUT;

		give_input(m, input, next);
		set_next(t, found, delay_line_next(&m->inputs[input].line,
						   m->turn_ns));
	}
	if (t->next_ns[LEAF_PMT] != m->pmt_ns)
		set_next(t, LEAF_PMT, m->pmt_ns);
	return true;
}

void mux_place_due(struct mux *m)
{
	struct turn t;

	mux_run_fills(m);
	begin(m, &t);
	while (give_next(m, &t)) {
	}
}

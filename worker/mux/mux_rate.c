/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes out when the inputs together exceed the rate. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/mux/mux_state.h"

enum {
	/* Time in which a change shows its effect.  A unit that lasts longer
	 * is cut. */
	EFFECT_MS = 300,
	CALM_MS = 1000,
	/* With this part of mux_delay waiting, schedules of events are slow. */
	CROWDED_PART = 16,
	METER_MS = 200, /* of a measurement of the rates */
	/* The usual rate follows the measured one in so many measurements. */
	USUAL_METERS = 128,
	/* The part of the rate, in percent, that inputs and tables may have:
	 * PCRs are inserted too. */
	ROOM_PERCENT = 98,
	/* The pause of an input doubles if it was blocked again within
	 * STEADY_MS. */
	PAUSE_MAX_MS = 64000,
	STEADY_MS = 60000,
	/* What an input may have beyond its max, in percent, and a batch of its
	 * source, whose packets may belong to this second or the next one. */
	TOLERANCE_PERCENT = 2,
	BATCH_PACKETS = 64,
	/* The tables of a turn, which always have room. */
	TURN_TABLES = MUX_LANES * LANE_BURST,
};

/* --- rates, in packets per second --- */

static uint64_t capacity(const struct mux *m, uint64_t ms)
{
	return m->cfg.kbps * ms / 8 / TS_PACKET;
}

/* What all inputs together may have. */
static uint64_t room_of(const struct mux *m)
{
	uint64_t all = capacity(m, 1000), tables = 0;

	for (size_t i = 0; i < MUX_LANES; i++)
		tables += m->sent_before[m->lanes[i].pid];
	return (all - MIN(all, tables)) * ROOM_PERCENT / 100;
}

/* The rate of an input in the last measurement and the current one; 0: not
 * known yet. */
static uint64_t rate_of(const struct mux *m, const struct mux_source *in)
{
	uint64_t ns = m->metered_ns + m->now_ns - m->meter_ns;

	if (ns < METER_MS * MS)
		return 0;
	return (in->metered + in->meter) * SECOND_NS / ns;
}

static void follow_usual(const struct mux *m, struct mux_source *in)
{
	int64_t rate = (int64_t)rate_of(m, in);

	if (in->usual == 0)
		in->usual = rate;
	else if (!in->silent)
		in->usual += (rate - in->usual) / USUAL_METERS;
}

/* Counts the packets of this turn. */
static void measure(struct mux *m)
{
	bool over;

	if (m->meter_ns == 0)
		m->meter_ns = m->now_ns;
	over = m->now_ns - m->meter_ns >= METER_MS * MS;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		in->meter += in->due;
		if (!over)
			continue;
		follow_usual(m, in);
		in->metered = in->meter;
		in->meter = 0;
	}
	if (!over)
		return;
	m->metered_ns = m->now_ns - m->meter_ns;
	m->meter_ns = m->now_ns;
}

/* --- blocking --- */

static bool is_within_min(const struct mux *m, const struct mux_source *in)
{
	return rate_of(m, in) <= in->min;
}

/* Is a to be blocked in front of b, which precedes it in the order?  An input
 * that exceeds the rate alone cannot be sent, whatever the others do. */
static bool goes_first(const struct mux *m, const struct mux_source *a,
		       const struct mux_source *b)
{
	uint64_t room = room_of(m), rate_a = rate_of(m, a);
	uint64_t rate_b = rate_of(m, b);

	if ((rate_a > room) != (rate_b > room))
		return rate_a > room;
	if (is_within_min(m, a) != is_within_min(m, b))
		return is_within_min(m, b);
	if (a->priority != b->priority)
		return a->priority < b->priority;
	return (int64_t)rate_a - a->usual >= (int64_t)rate_b - b->usual;
}

/* The input that is blocked first; NULL: none, or the only one left if it
 * does not exceed the rate alone and `all' is false. */
static struct mux_source *find_first(struct mux *m, bool all)
{
	struct mux_source *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (in->blocked || in->remux == NULL ||
		    (in->silent && in->line.n == 0))
			continue;
		n++;
		if (found == NULL || goes_first(m, in, found))
			found = in;
	}
	if (n == 1 && !all && rate_of(m, found) <= room_of(m))
		return NULL;
	return found;
}

/* above_max: the input exceeds its own limit, which delays the return of no
 * other one. */
static void block(struct mux *m, struct mux_source *in, bool above_max)
{
	bool again = in->released_ns != 0 &&
		     m->now_ns - in->released_ns < STEADY_MS * MS;

	in->blocked = true;
	in->above_max = above_max;
	in->blocked_ns = m->now_ns;
	in->pause_ms = again ? MIN(2 * in->pause_ms, (unsigned)PAUSE_MAX_MS)
			     : (unsigned)CALM_MS;
	m->changed_ns = m->now_ns;
	if (!above_max)
		m->calm_ns = m->now_ns;
}

/* Blocks as many inputs as the excess needs, at least one. */
static void block_excess(struct mux *m)
{
	uint64_t sum = 0, room = room_of(m);

	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		if (!m->inputs[i].blocked)
			sum += rate_of(m, &m->inputs[i]);
	do {
		struct mux_source *in = find_first(m, false);

		if (in == NULL)
			return;
		block(m, in, false);
		sum -= rate_of(m, in);
	} while (sum > room);
}

/* Is this rate above the limit of the input itself?  An input that has exactly
 * its limit is not. */
static bool is_greedy(const struct mux_source *in, uint64_t rate)
{
	return in->max != 0 && rate > in->max +
		       in->max * TOLERANCE_PERCENT / 100 + BATCH_PACKETS;
}

/* Blocks the inputs that had more than their own limit in the last second. */
static void block_greedy(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (is_greedy(in, in->rate) && !in->blocked &&
		    in->remux != NULL)
			block(m, in, true);
	}
}

/* Cuts the units of blocked inputs that did not end in time. */
static void cut_units(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (in->blocked &&
		    m->now_ns - in->blocked_ns >= EFFECT_MS * MS)
			in->cut = true;
	}
}

static bool is_pmt(const struct mux_source *in, uint16_t pid)
{
	for (size_t i = 0; i < in->n_services; i++)
		if (in->services[i].pmt_pid == pid)
			return true;
	return false;
}

/* The packets of this turn that an input sends though it is cut. */
static size_t count_pmts(const struct mux_source *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->due; i++)
		n += is_pmt(in, ts_pid(delay_line_at(&in->line, i)));
	return n;
}

/* Cuts an input; returns the packets of this turn that it does not send. */
static size_t cut(struct mux_source *in)
{
	in->cut = true;
	return in->due - count_pmts(in);
}

/* What does not fit into the queue is not sent, so that it drops no packet of
 * the other inputs.  Units are cut.  Packets that wait for their place have
 * their counters, and are sent.  Returns the room that is left. */
static size_t refuse(struct mux *m)
{
	size_t room = cbr_room(m->cbr), need = TURN_TABLES + m->waiting.n;
	struct mux_source *in;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		in = &m->inputs[i];
		need += in->cut ? count_pmts(in) : in->due;
	}
	for (size_t i = 0; i < m->cfg.n_inputs && need > room; i++) {
		in = &m->inputs[i];
		if (in->blocked && !in->cut)
			need -= cut(in);
	}
	while (need > room && (in = find_first(m, true)) != NULL) {
		block(m, in, false);
		need -= cut(in);
	}
	return room - MIN(room, need);
}

/* --- releasing --- */

static uint64_t high_rate(const struct mux *m, const struct mux_source *in)
{
	return MAX(in->rate, rate_of(m, in));
}

/* Does a blocked input fit, together with those of higher priority that wait
 * for room? */
static bool fits(const struct mux *m, const struct mux_source *in)
{
	uint64_t room = room_of(m), sum = high_rate(m, in);

	if (is_greedy(in, sum))
		return false;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *other = &m->inputs[i];
		uint64_t rate = high_rate(m, other);

		if (!other->blocked || (other->priority > in->priority &&
					rate <= room))
			sum += rate;
	}
	return sum <= room;
}

/* The blocked input that is released first; NULL: none. */
static struct mux_source *find_fitting(struct mux *m)
{
	struct mux_source *found = NULL;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (in->blocked &&
		    m->now_ns - in->blocked_ns >= in->pause_ms * MS &&
		    (found == NULL || in->priority > found->priority) &&
		    fits(m, in))
			found = in;
	}
	return found;
}

/* room: of the queue in this turn. */
static void release(struct mux *m, size_t room)
{
	struct mux_source *in = find_fitting(m);

	if (in == NULL || in->due > room)
		return;
	in->blocked = in->cut = false;
	in->released_ns = m->now_ns;
	m->changed_ns = m->calm_ns = m->now_ns;
}

/* --- the interface --- */

void mux_limit(struct mux *m)
{
	/* after late wake-ups packets wait although they have positions */
	size_t waiting = cbr_waiting(m->cbr), late = cbr_late(m->cbr);
	uint64_t most = capacity(m, m->cfg.delay_ms);
	uint64_t excess = waiting - MIN(waiting, late);
	size_t room;

	m->crowded = excess > most / CROWDED_PART;
	measure(m);
	block_greedy(m);
	cut_units(m);
	room = refuse(m);
	if (excess > most / 4)
		m->calm_ns = m->now_ns;
	if (m->now_ns - m->changed_ns < EFFECT_MS * MS) {
		m->peak = MAX(m->peak, excess);
		return;
	}
	if (excess < most / 2)
		m->peak = 0;
	/* a queue that shortens needs no other change */
	if (excess > MAX(most, m->peak))
		block_excess(m);
	else if (m->now_ns - m->calm_ns >= CALM_MS * MS)
		release(m, room);
}

bool mux_admits(struct mux *m, struct mux_source *in, const uint8_t *packet)
{
	uint16_t pid = ts_pid(packet);
	uint8_t *stopped = &m->stopped[pid];

	if (!in->blocked && !*stopped)
		return true;
	if (is_pmt(in, pid))
		return true;
	if (in->cut)
		*stopped = true;
	else if (ts_has_payload(packet) && ts_pusi(packet))
		*stopped = in->blocked;
	if (*stopped) {
		mux_counters_forget(&m->counters, pid);
		in->dropped++;
	}
	return !*stopped;
}

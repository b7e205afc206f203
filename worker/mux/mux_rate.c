/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which services are sent when the inputs together exceed the rate: this file
 * decides, and mux_gates.c drops the packets of blocked services. */
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/mux/mux_state.h"

enum {
	/* After a service was blocked or released, the queue is compared again
	 * after this time.  A PES packet of a blocked service that has not
	 * ended by then is cut. */
	EFFECT_MS = 300,
	/* Services are released when the queue was short for this time.  It is
	 * also the shortest pause of a blocked service. */
	CALM_MS = 1000,
	/* If more packets wait than the output sends in this part (1 /
	 * CROWDED_PART) of mux_delay, EIT schedules are sent slowly. */
	CROWDED_PART = 16,
	METER_MS = 200, /* length of a measurement of the rates */
	/* For this time after a late mux_turn(), the reason for waiting packets
	 * may be that delay. */
	LATE_EFFECT_MS = 2000,
	/* The usual rate of an input approaches its measured rate by 1 /
	 * USUAL_METERS of the difference in each measurement. */
	USUAL_METERS = 128,
	/* Inputs may have this percentage of the rate without tables and
	 * fillers, because PCRs are inserted, too. */
	ROOM_PERCENT = 98,
	/* If a service is blocked again within STEADY_MS after its release, its
	 * pause doubles, up to PAUSE_MAX_MS. */
	PAUSE_MAX_MS = 64000,
	STEADY_MS = 60000,
	/* In a second an input may also exceed its max by this number of
	 * packets, a batch of its source at the boundary of two seconds. */
	BATCH_PACKETS = 64,
	/* Packets of tables in one mux_turn(), for which refuse() always leaves
	 * room. */
	TURN_TABLES = MUX_LANES * LANE_BURST,
};

/* --- rates, in packets per second --- */

/* The packets that the output sends in ms milliseconds. */
static uint64_t capacity(const struct mux *m, uint64_t ms)
{
	return m->cfg.kbps * ms / 8 / TS_PACKET;
}

/* A part of an input that can be blocked: a service, or an input without
 * services. */
struct unit {
	struct mux_source *in; /* NULL: no service */
	struct mux_service *s;
};

static struct unit unit_at(struct mux *m, size_t input, size_t nth)
{
	struct mux_source *in = &m->inputs[input];

	return (struct unit){ in, &in->states[nth] };
}

/* The rate in packets per second, if n packets were counted in the last
 * measurement and the current one; 0: both together are shorter than METER_MS,
 * so that the rate is not known yet. */
static uint64_t rate_of_count(const struct mux *m, uint64_t n)
{
	uint64_t ns = m->metered_ns + m->now_ns - m->meter_ns;

	return ns < METER_MS * MS ? 0 : n * SECOND_NS / ns;
}

uint64_t mux_fill_rate(const struct mux *m)
{
	return rate_of_count(m, m->fill_metered + m->fill_meter);
}

/* The rate in packets per second that all inputs together may have. */
static uint64_t room_of(const struct mux *m)
{
	uint64_t all = capacity(m, 1000), tables = 0;

	for (size_t i = 0; i < MUX_LANES; i++)
		tables += m->sent_before[m->lanes[i].pid];
	tables += mux_fill_rate(m);
	return (all - MIN(all, tables)) * ROOM_PERCENT / 100;
}

static uint64_t rate_of(const struct mux *m, const struct mux_source *in)
{
	return rate_of_count(m, in->metered + in->meter);
}

static uint64_t service_rate(const struct mux *m, const struct mux_service *s)
{
	return rate_of_count(m, s->metered + s->meter);
}

/* Counts the packets of this mux_turn(), and begins a new measurement every
 * METER_MS. */
static void measure(struct mux *m)
{
	bool over;

	if (m->meter_ns == 0)
		m->meter_ns = m->now_ns;
	over = m->now_ns - m->meter_ns >= METER_MS * MS;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];
		int64_t rate;

		in->meter += in->due;
		mux_meter_services(m, in);
		if (!over)
			continue;
		rate = (int64_t)rate_of(m, in);
		if (in->usual == 0)
			in->usual = rate;
		else if (!in->silent)
			in->usual += (rate - in->usual) / USUAL_METERS;
		in->metered = in->meter;
		in->meter = 0;
		for (size_t k = 0; k < mux_units(in); k++) {
			struct mux_service *s = &in->states[k];

			s->metered = s->meter;
			s->fill_metered = s->fill_meter;
			s->meter = s->fill_meter = 0;
		}
	}
	if (!over)
		return;
	m->fill_metered = m->fill_meter;
	m->fill_meter = 0;
	m->metered_ns = m->now_ns - m->meter_ns;
	m->meter_ns = m->now_ns;
}

/* --- blocking --- */

static bool is_within_min(const struct mux *m, const struct mux_source *in)
{
	return rate_of(m, in) <= in->min;
}

/* True if a is blocked before b, which find_first() reads before a.  A service
 * that alone exceeds the rate is blocked first, because it never fits.  Of one
 * input the last service is blocked first. */
static bool goes_first(const struct mux *m, struct unit a, struct unit b)
{
	uint64_t room = room_of(m), rate_a = service_rate(m, a.s);
	uint64_t rate_b = service_rate(m, b.s);

	if ((rate_a > room) != (rate_b > room))
		return rate_a > room;
	if (a.in == b.in)
		return true;
	if (is_within_min(m, a.in) != is_within_min(m, b.in))
		return is_within_min(m, b.in);
	if (a.in->priority != b.in->priority)
		return a.in->priority < b.in->priority;
	return (int64_t)rate_of(m, a.in) - a.in->usual >=
	       (int64_t)rate_of(m, b.in) - b.in->usual;
}

static bool can_be_blocked(const struct mux *m, struct unit u)
{
	if (u.s->blocked || u.in->remux == NULL ||
	    (u.in->silent && u.in->line.n == 0))
		return false;
	/* A silent service has no packets, so to block it would make no
	 * room. */
	return mux_units(u.in) == 1 || !u.s->silent ||
	       service_rate(m, u.s) > 0;
}

/* The service to block first.  `in' of the result is NULL if there is none, or,
 * unless `all' is true, if only one service is left and fits alone. */
static struct unit find_first(struct mux *m, bool all)
{
	struct unit found = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		for (size_t k = 0; k < mux_units(&m->inputs[i]); k++) {
			struct unit u = unit_at(m, i, k);

			if (!can_be_blocked(m, u))
				continue;
			n++;
			if (found.in == NULL || goes_first(m, u, found))
				found = u;
		}
	if (n == 1 && !all && service_rate(m, found.s) <= room_of(m))
		found.in = NULL;
	return found;
}

/* True if the usual rates of the inputs, less the rates of their blocked
 * services, exceed room_of().  The measured rates of the inputs are not used,
 * because after a late mux_turn() they include packets that catch up. */
static bool exceed_usually(const struct mux *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];
		uint64_t rate = in->blocked || in->silent ? 0
							  : (uint64_t)in->usual;

		for (size_t k = 0; k < mux_units(in) && rate > 0; k++)
			if (in->states[k].blocked)
				rate -= MIN(rate, in->states[k].rate);
		sum += rate;
	}
	return sum > room_of(m);
}

/* True if packets may wait because mux_turn() was called late. */
static bool is_late(const struct mux *m)
{
	return m->late_ns != 0 &&
	       m->now_ns - m->late_ns < LATE_EFFECT_MS * MS;
}

/* Blocks a service.  above_max: because its input exceeds its own max_kbps;
 * then the release of services of other inputs is not delayed by CALM_MS. */
static void block(struct mux *m, struct unit u, bool above_max)
{
	struct mux_service *s = u.s;
	bool again = s->released_ns != 0 &&
		     m->now_ns - s->released_ns < STEADY_MS * MS;

	s->late = !above_max && is_late(m) && !exceed_usually(m);
	s->blocked = true;
	s->above_max = above_max;
	s->blocked_ns = m->now_ns;
	s->pause_ms = again ? MIN(2 * s->pause_ms, (unsigned)PAUSE_MAX_MS)
			    : (unsigned)CALM_MS;
	m->changed_ns = m->now_ns;
	if (!above_max)
		m->calm_ns = m->now_ns;
	mux_renew_gates(m, u.in);
}

/* The rate of all inputs without their blocked services. */
static uint64_t sent_rate(const struct mux *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];
		uint64_t rate = in->blocked ? 0 : rate_of(m, in);

		for (size_t k = 0; k < mux_units(in) && rate > 0; k++)
			if (in->states[k].blocked)
				rate -= MIN(rate, service_rate(
							  m, &in->states[k]));
		sum += rate;
	}
	return sum;
}

/* Blocks services until the rate of the others has room, at least one service
 * if one can be blocked. */
static void block_excess(struct mux *m)
{
	uint64_t room = room_of(m);

	do {
		struct unit u = find_first(m, false);

		if (u.in == NULL)
			return;
		block(m, u, false);
	} while (sent_rate(m) > room);
}

/* True if this rate is clearly above max_kbps of the input.  An input that has
 * just this rate is not blocked. */
static bool is_greedy(const struct mux_source *in, uint64_t rate)
{
	return in->max != 0 && rate > in->max +
		       in->max * MUX_TOLERANCE_PERCENT / 100 + BATCH_PACKETS;
}

/* The packets per second of the input in the last second, without its blocked
 * services. */
static uint64_t free_rate(const struct mux_source *in)
{
	uint64_t rate = in->blocked ? 0 : in->rate;

	for (size_t k = 0; k < mux_units(in); k++)
		if (in->states[k].blocked)
			rate -= MIN(rate, in->states[k].rate);
	return rate;
}

/* Blocks the last services of each input that exceeded its max_kbps in the last
 * second. */
static void block_greedy(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		if (in->remux == NULL)
			continue;
		for (size_t k = mux_units(in);
		     k-- > 0 && is_greedy(in, free_rate(in));)
			if (!in->states[k].blocked)
				block(m, unit_at(m, i, k), true);
	}
}

/* Drops the packets of a blocked service from now on, also in the middle of a
 * PES packet.  Returns by how many the packets that its input sends in this
 * mux_turn() decrease. */
static size_t cut(struct mux *m, struct unit u)
{
	size_t before = mux_count_sent(m, u.in);

	u.s->cut = true;
	mux_renew_gates(m, u.in);
	return before - mux_count_sent(m, u.in);
}

/* Cuts the PES packets of blocked services that did not end within
 * EFFECT_MS. */
static void cut_units(struct mux *m)
{
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		struct mux_source *in = &m->inputs[i];

		for (size_t k = 0; in->n_blocked > in->n_cut &&
				   k < mux_units(in); k++) {
			struct mux_service *s = &in->states[k];

			if (s->blocked && !s->cut &&
			    m->now_ns - s->blocked_ns >= EFFECT_MS * MS)
				(void)cut(m, unit_at(m, i, k));
		}
	}
}

/* If the packets of this mux_turn() do not fit into the queue of the output,
 * blocks services and cuts their PES packets, so that no packet of other
 * services is dropped.  Packets in `waiting' are always sent, because they have
 * counters.  Returns the room that is left, in packets. */
static size_t refuse(struct mux *m)
{
	size_t room = cbr_room(m->cbr), need = TURN_TABLES + m->waiting.n;
	struct unit u;

	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		need += mux_count_sent(m, &m->inputs[i]);
	for (size_t i = 0; i < m->cfg.n_inputs && need > room; i++)
		for (size_t k = 0; k < mux_units(&m->inputs[i]); k++) {
			u = unit_at(m, i, k);
			if (u.s->blocked && !u.s->cut && need > room)
				need -= cut(m, u);
		}
	while (need > room && (u = find_first(m, true)).in != NULL) {
		block(m, u, false);
		need -= cut(m, u);
	}
	return room - MIN(room, need);
}

/* --- releasing --- */

/* The higher one of two rates of a service: of the last second, and of the last
 * measurements. */
static uint64_t high_rate(const struct mux *m, const struct mux_service *s)
{
	return MAX(s->rate, service_rate(m, s));
}

/* True if b is released before a. */
static bool precedes(struct unit b, struct unit a)
{
	return b.in == a.in ? b.s < a.s : b.in->priority > a.in->priority;
}

/* The highest rate that a blocked service may have to be released alone:
 * room_of(), and the rate of its own filler, which ends then. */
static uint64_t own_room(const struct mux *m, const struct mux_service *s)
{
	uint64_t fill = rate_of_count(m, s->fill_metered + s->fill_meter);

	return room_of(m) + fill * ROOM_PERCENT / 100;
}

/* True if a blocked service fits together with the services on air and the
 * services that are released before it.  Fillers of released services end, so
 * their rate is free. */
static bool fits(struct mux *m, struct unit u)
{
	uint64_t all = room_of(m), room = own_room(m, u.s);
	uint64_t sum = high_rate(m, u.s);

	if (is_greedy(u.in, free_rate(u.in) + sum))
		return false;
	for (size_t i = 0; i < m->cfg.n_inputs; i++) {
		const struct mux_source *in = &m->inputs[i];
		uint64_t most = MAX(in->rate, rate_of(m, in)), services = 0;

		for (size_t k = 0; k < mux_units(in); k++) {
			struct unit other = unit_at(m, i, k);
			uint64_t rate = high_rate(m, other.s);

			services += rate;
			if (!other.s->blocked) {
				sum += rate;
			} else if (precedes(other, u) &&
				   rate <= own_room(m, other.s)) {
				sum += rate;
				room += own_room(m, other.s) - all;
			}
		}
		/* also the rate of packets that belong to no service */
		if (!in->blocked)
			sum += most - MIN(most, services);
	}
	return sum <= room;
}

/* True if b is released after a.  Of two inputs with the same priority, the
 * first one of the configuration is released first. */
static bool is_behind(struct unit b, struct unit a)
{
	return precedes(a, b) || (!precedes(b, a) && b.in > a.in);
}

/* The first blocked service behind `last', in the order of release, whose pause
 * is over.  If `in' of the result is NULL, there is none. */
static struct unit find_waiting(struct mux *m, struct unit last)
{
	struct unit found = { 0 };

	for (size_t i = 0; i < m->cfg.n_inputs; i++)
		for (size_t k = 0; m->inputs[i].n_blocked > 0 &&
				   k < mux_units(&m->inputs[i]); k++) {
			struct unit u = unit_at(m, i, k);

			if (u.s->blocked &&
			    m->now_ns - u.s->blocked_ns >=
				    u.s->pause_ms * MS &&
			    (last.in == NULL || is_behind(u, last)) &&
			    (found.in == NULL || is_behind(found, u)))
				found = u;
		}
	return found;
}

/* Releases the blocked services that fit together.  room: packets that the
 * queue still has room for.  All packets of an input that are due are
 * subtracted once, at its first released service. */
static void release_fitting(struct mux *m, size_t room)
{
	const struct mux_source *counted = NULL;
	struct unit u = { 0 };

	while ((u = find_waiting(m, u)).in != NULL) {
		size_t due = u.in == counted ? 0 : u.in->due;

		if (due > room || !fits(m, u)) {
			u.s->late &= is_late(m);
			continue;
		}
		u.s->blocked = u.s->cut = u.s->above_max = u.s->late = false;
		u.s->released_ns = m->now_ns;
		m->changed_ns = m->calm_ns = m->now_ns;
		mux_renew_gates(m, u.in);
		room -= due;
		counted = u.in;
	}
}

/* --- the interface --- */

void mux_limit(struct mux *m)
{
	/* After a late wake-up packets wait whose positions are due already.
	 * They leave at once, so they are no excess. */
	size_t waiting = cbr_waiting(m->cbr), late = cbr_late(m->cbr);
	uint64_t most = capacity(m, m->cfg.delay_ms);
	uint64_t excess = waiting - MIN(waiting, late);
	uint64_t late_ms = cbr_late_ms(m->cbr, m->now_ns);
	size_t room;

	m->crowded = excess > most / CROWDED_PART;
	if (late_ms >= CBR_BEHIND_MS) {
		m->late_ms = is_late(m) ? MAX(m->late_ms, late_ms) : late_ms;
		m->late_ns = m->now_ns;
	}
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
	/* while the queue becomes shorter, no further service is blocked */
	if (excess > MAX(most, m->peak))
		block_excess(m);
	else if (m->now_ns - m->calm_ns >= CALM_MS * MS)
		release_fitting(m, room);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source of datagrams that is read every ten milliseconds, at any phase, in
 * virtual time: holes that fall between two reads are found, single losses and
 * a single burst of losses are no failure, even if the source is not steady.
 */
#include "common/base/units.h"
#include "tests/unit/rounds.h"
#include "worker/failover/silence.h"

#include <criterion/criterion.h>

#define US UINT64_C(1000)

enum {
	READ_MS = 10,
	DATAGRAM = 7, /* packets */
	PACKET_BITS = 188 * 8,
	STEADY_MS = 5000,
	RUN_MS = 3000,
};

struct model {
	struct silence silence;
	uint64_t each_ns; /* between two datagrams */
	uint64_t jitter_ns; /* the most that a datagram is late */
	uint64_t now_ns, next_ns, empty_ns;
	uint32_t seed;
	bool gap; /* the last datagram was lost */
	unsigned times; /* datagrams lost by three_times() */
	bool lost; /* the source was silent, or had a hole */
};

/* Is the datagram of this time lost? */
typedef bool lose_fn(struct model *, uint64_t at_ns);

static uint32_t next_random(struct model *m)
{
	m->seed ^= m->seed << 13;
	m->seed ^= m->seed >> 17;
	m->seed ^= m->seed << 5;
	return m->seed;
}

static void model_init(struct model *m, unsigned kbps, unsigned jitter_ms,
		       uint32_t seed)
{
	*m = (struct model){
		.each_ns = (uint64_t)DATAGRAM * PACKET_BITS * MS / kbps,
		.jitter_ns = jitter_ms * MS,
		.now_ns = 1000 * MS,
		.seed = seed * 2654435761u + 1,
	};
	m->next_ns = m->now_ns + next_random(m) % m->each_ns;
}

static void read_once(struct model *m, lose_fn *is_lost)
{
	struct silence_read r = { .empty_ns = m->empty_ns };

	m->now_ns += READ_MS * MS;
	while (m->next_ns <= m->now_ns) {
		uint64_t late_ns = m->jitter_ns > 0 ?
			next_random(m) % m->jitter_ns : 0;

		/* of a jittery source some datagrams wait for the next read */
		if (m->next_ns + late_ns > m->now_ns)
			break;
		if (is_lost != NULL && is_lost(m, m->next_ns)) {
			m->gap = true;
		} else {
			r.n += DATAGRAM;
			r.gap |= m->gap;
			m->gap = false;
		}
		m->next_ns += m->each_ns;
	}
	if (r.n == 0)
		m->empty_ns = m->now_ns;
	else
		m->lost |= silence_feed(&m->silence, &r, m->now_ns);
	m->lost |= m->now_ns >= silence_ns(&m->silence);
}

static void run(struct model *m, unsigned ms, lose_fn *is_lost)
{
	for (unsigned i = 0; i < ms / READ_MS && !m->lost; i++)
		read_once(m, is_lost);
}

static uint64_t begin_ns, period_ns, hole_ns, share_ppm;

static bool in_hole(struct model *m, uint64_t at_ns)
{
	(void)m;
	return at_ns >= begin_ns && (at_ns - begin_ns) % period_ns < hole_ns;
}

static bool by_chance(struct model *m, uint64_t at_ns)
{
	return at_ns >= begin_ns && at_ns < begin_ns + hole_ns &&
	       next_random(m) % 1000000 < share_ppm;
}

static const unsigned rates_kbps[] = { 1500, 2300, 4000, 8000, 15000, 38000 };

/* The time until it is found, after the first hole. */
static unsigned find_ms(unsigned kbps, unsigned jitter_ms, unsigned phase)
{
	struct model m;

	model_init(&m, kbps, jitter_ms, phase + 1);
	run(&m, STEADY_MS, NULL);
	cr_assert_not(m.lost);
	begin_ns = m.now_ns + phase * 1300 * US;
	run(&m, RUN_MS, in_hole);
	cr_assert(m.lost, "%u kbit/s, %lu of %lu us, phase %u", kbps,
		  (unsigned long)(hole_ns / US),
		  (unsigned long)(period_ns / US), phase);
	return (unsigned)((m.now_ns - MIN(begin_ns, m.now_ns)) / MS);
}

/* Holes of 10 to 90 % at any short period: the switch has the rest of the
 * second. */
static void sweep(unsigned jitter_ms, size_t first_rate)
{
	for (size_t r = first_rate; r < ARRAY_LEN(rates_kbps); r++)
		for (unsigned period = 100; period <= 700; period += 20)
			for (unsigned off = 10; off <= 90; off += 10)
				for (unsigned phase = 0; phase < 8;
				     phase += ROUNDS_DIVISOR) {
					unsigned ms, most_ms = r < 2 ? 950
								     : 620;

					period_ns = period * MS;
					hole_ns = period_ns * off / 100;
					ms = find_ms(rates_kbps[r], jitter_ms,
						     phase);
					cr_assert_leq(ms, most_ms,
						      "%u kbit/s, %u %% of %u "
						      "ms, phase %u: %u ms",
						      rates_kbps[r], off,
						      period, phase, ms);
				}
}

Test(short_holes, are_found_in_time)
{
	sweep(0, 0);
}

Test(short_holes, are_found_in_time_in_a_jittery_source)
{
	/* at the first two rates such a hole is often a single datagram */
	sweep(4, 2);
}

/* Losses of this share, for so long: a failure? */
static bool fails(unsigned kbps, unsigned jitter_ms, uint32_t seed,
		  unsigned for_ms)
{
	struct model m;

	model_init(&m, kbps, jitter_ms, seed);
	run(&m, STEADY_MS, NULL);
	begin_ns = m.now_ns;
	hole_ns = for_ms * MS;
	run(&m, for_ms + RUN_MS, by_chance);
	return m.lost;
}

Test(short_holes, a_burst_of_losses_is_none)
{
	for (size_t r = 2; r < ARRAY_LEN(rates_kbps); r++)
		for (uint32_t seed = 0; seed < 50; seed++) {
			share_ppm = 100000 + seed % 3 * 100000;
			cr_assert_not(fails(rates_kbps[r], 0, seed,
					    2 * SILENCE_APART_MS - READ_MS),
				      "%u kbit/s, seed %u", rates_kbps[r],
				      seed);
		}
}

/* One datagram of five hundred, for a minute. */
Test(short_holes, single_losses_are_none)
{
	unsigned failures = 0;

	share_ppm = 2000;
	for (unsigned jitter_ms = 0; jitter_ms <= 8; jitter_ms += 4)
		for (size_t r = 0; r < ARRAY_LEN(rates_kbps); r++)
			for (uint32_t seed = 0; seed < 5; seed++)
				failures += fails(rates_kbps[r], jitter_ms,
						  seed, 60000);
	cr_assert_eq(failures, 0U, "%u of 90", failures);
}

Test(short_holes, jitter_is_none)
{
	for (unsigned jitter_ms = 1; jitter_ms <= 60; jitter_ms += 3)
		for (size_t r = 0; r < ARRAY_LEN(rates_kbps); r++) {
			struct model m;

			model_init(&m, rates_kbps[r], jitter_ms, jitter_ms);
			run(&m, 30000, NULL);
			cr_assert_not(m.lost, "%u kbit/s, %u ms",
				      rates_kbps[r], jitter_ms);
		}
}

/* --- sources that have more and fewer packets without a loss --- */

enum { FRAME_MS = 40, APART_MS = SILENCE_APART_MS };

/* The datagrams of one frame, all at once: 4 Mbit/s, the first of twelve is
 * larger. */
static unsigned datagrams_of_frame(struct model *m, unsigned frame)
{
	return frame % 12 == 0 ? 100 : 4 + next_random(m) % 5;
}

/* Is the source left when it loses three datagrams within a second? */
static bool fails_in_bursts(uint32_t seed)
{
	struct model m;
	struct silence_read r = { 0 };
	unsigned lost = 0;
	uint64_t first_ns;

	model_init(&m, 4000, 0, seed);
	first_ns = m.now_ns + (STEADY_MS + seed * 10) * MS;
	m.now_ns += next_random(&m) % 10000 * US;
	for (unsigned frame = 0; frame < (STEADY_MS + RUN_MS) / FRAME_MS;
	     frame++) {
		r.n = (size_t)DATAGRAM * datagrams_of_frame(&m, frame);
		r.gap = lost < 3 && m.now_ns >= first_ns + lost * APART_MS * MS;
		if (r.gap) {
			r.n -= DATAGRAM;
			lost++;
		}
		if (silence_feed(&m.silence, &r, m.now_ns) ||
		    m.now_ns + (FRAME_MS - READ_MS) * MS >=
			    silence_ns(&m.silence))
			return true;
		r.empty_ns = m.now_ns + (FRAME_MS - READ_MS) * MS;
		m.now_ns += FRAME_MS * MS;
	}
	cr_assert_eq(lost, 3U);
	return false;
}

Test(short_holes, single_losses_in_bursts_are_none)
{
	for (uint32_t seed = 0; seed < 200; seed++)
		cr_assert_not(fails_in_bursts(seed), "seed %u", seed);
}

/* One datagram at each of three times. */
static bool three_times(struct model *m, uint64_t at_ns)
{
	if (begin_ns == 0 || at_ns < begin_ns)
		return false;
	begin_ns = ++m->times < 3 ? begin_ns + APART_MS * MS : 0;
	return true;
}

Test(short_holes, single_losses_after_a_fall_of_the_rate_are_none)
{
	for (unsigned after_ms = 50; after_ms <= 500; after_ms += 10)
		for (uint32_t seed = 0; seed < 20; seed++) {
			struct model m;

			model_init(&m, 20000, 0, seed);
			run(&m, STEADY_MS, NULL);
			m.each_ns = m.each_ns * 20 / 8;
			begin_ns = m.now_ns + after_ms * MS;
			run(&m, RUN_MS, three_times);
			cr_assert_not(m.lost, "%u ms, seed %u", after_ms, seed);
			cr_assert_eq(m.times, 3U);
		}
}

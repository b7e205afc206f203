/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random streams over two random networks, merged by content, against the
 * stream that was sent: every packet that one path at least delivered is sent
 * once and in the order of its PID.
 */
#include "common/base/util.h"
#include "tests/unit/rounds.h"
#include "tests/unit/worker/merge/merge_sim.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	DATAGRAMS = 3000, /* of one run */
	N = DATAGRAMS * SIM_DATAGRAM,
};

static bool is_same(const uint8_t *a, const uint8_t *b)
{
	return memcmp(a, b, TS_PACKET) == 0;
}

/* The packets of one PID that are compared. */
struct view {
	const uint8_t (*packet)[TS_PACKET];
	const bool *came; /* NULL: all */
	size_t n;
	uint16_t pid;
	bool payload;
	bool twice; /* some are sent twice: that is seen as once */
};

static size_t next_of(const struct view *v, size_t i)
{
	while (i < v->n &&
	       (ts_pid(v->packet[i]) != v->pid ||
		ts_has_payload(v->packet[i]) != v->payload ||
		(v->came != NULL && !v->came[i]) ||
		sim_is_filler(v->packet[i])))
		i++;
	return i;
}

static size_t behind(const struct view *v, size_t i)
{
	size_t next = next_of(v, i + 1);

	if (v->twice && next < v->n && is_same(v->packet[i], v->packet[next]))
		next = next_of(v, next + 1);
	return next;
}

static void judge_pid(const struct sim *s, struct view sent, struct view out,
		      uint32_t seed)
{
	size_t i = next_of(&sent, 0), o = next_of(&out, 0);

	while (i < N && o < s->n_out) {
		cr_assert(is_same(sent.packet[i], s->out[o]),
			  "seed %u, PID %u: packet %zu cc %u, not cc %u at %zu",
			  seed, sent.pid, i, ts_cc(sent.packet[i]),
			  ts_cc(s->out[o]), o);
		i = behind(&sent, i);
		o = behind(&out, o);
	}
	cr_assert(i == N && o == s->n_out, "seed %u, PID %u: ends", seed,
		  sent.pid);
}

/* Filler repeats after 16 packets: after a loss the packets cannot be told
 * apart. */
static void judge_filler(const struct sim *s, uint32_t seed)
{
	size_t sent = 0, out = 0;

	for (size_t i = 0; i < N; i++)
		sent += s->came[i] && sim_is_filler(s->packet[i]);
	for (size_t i = 0; i < s->n_out; i++)
		out += sim_is_filler(s->out[i]);
	cr_assert(4 * out > 3 * sent && 4 * out < 5 * sent,
		  "seed %u: %zu of filler, not %zu", seed, out, sent);
}

static void judge(const struct sim *s, const struct view *how, uint32_t seed)
{
	/* the order of times and pictures is unknown, and packets without a
	 * payload are checked separately */
	for (unsigned k = 0; k <= SIM_PIDS; k++) {
		struct view sent = *how, out = *how;

		sent.packet = s->packet;
		sent.came = s->came;
		sent.n = N;
		out.packet = s->out;
		out.n = s->n_out;
		/* a table between filler looks as if it was sent twice */
		sent.twice |= k >= SIM_PES_PIDS;
		out.twice |= k >= SIM_PES_PIDS;
		sent.pid = out.pid = k < SIM_PIDS ? sim_pid(k) : SIM_PID_PCR;
		sent.payload = out.payload = k < SIM_PIDS;
		judge_pid(s, sent, out, seed);
	}
	judge_filler(s, seed);
}

static void run(const struct sim_network *a, const struct sim_network *b,
		unsigned twice, unsigned runs)
{
	static const uint32_t skews[] = { 0, 1, 13, 90, 250, 330 };
	/* the only packet of its PID in a duplicate datagram looks the same */
	const struct view how = { .twice = twice > 0 || a->doubled > 0 };
	struct sim *s = sim_new(DATAGRAMS);

	for (unsigned seed = 1; seed <= runs; seed++) {
		struct ts_merge_counts c;

		sim_begin(s, seed);
		sim_make(s, twice);
		sim_carry(s, 0, a, seed % 3 == 0 ? skews[sim_any(s, 6)] : 0);
		sim_carry(s, 1, b, seed % 3 != 0 ? skews[sim_any(s, 6)] : 0);
		sim_play(s);
		cr_assert_not(ts_merge_waits(s->merge));
		judge(s, &how, seed);
		ts_merge_counts(s->merge, &c);
		cr_assert(c.aligned);
	}
	sim_free(&s);
}

enum { RUNS = 25 / ROUNDS_DIVISOR };

Test(merge_model, recovers_packets_that_one_path_lost)
{
	run(&(struct sim_network){ .lost = 10, .burst = 12 },
	    &(struct sim_network){ .lost = 40, .burst = 2 }, 0, RUNS);
}

Test(merge_model, orders_packets_after_a_delay_in_the_network)
{
	run(&(struct sim_network){ .lost = 5, .burst = 20, .stalled = 4 },
	    &(struct sim_network){ .lost = 10, .burst = 2, .stalled = 4 }, 0,
	    RUNS);
}

Test(merge_model, sends_duplicates_of_a_path_once)
{
	run(&(struct sim_network){ .lost = 20, .burst = 2, .doubled = 100 },
	    &(struct sim_network){ .lost = 20, .burst = 2, .doubled = 100 }, 0,
	    RUNS);
}

Test(merge_model, orders_overtaken_packets)
{
	run(&(struct sim_network){ .lost = 2, .burst = 1, .overtaken = 20 },
	    &(struct sim_network){ .lost = 2, .burst = 1, .overtaken = 20 }, 0,
	    RUNS);
}

Test(merge_model, keeps_packets_that_the_sender_repeats)
{
	run(&(struct sim_network){ .lost = 10, .burst = 2, .doubled = 20 },
	    &(struct sim_network){ .lost = 10, .burst = 2, .doubled = 20 }, 20,
	    RUNS);
}

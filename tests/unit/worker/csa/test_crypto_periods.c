/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/csa/crypto_periods.h"

#include "common/base/units.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PERIOD_MS = 10000, STEP_MS = 10 };

/* Generators that answer after delay_ms, and a stream that asks them. */
struct rig {
	struct crypto_memory memory;
	struct crypto_periods c;
	uint64_t now_ns;
	unsigned made;          /* words */
	bool silent[CRYPTO_SYSTEMS_MAX];
	unsigned answer_ms;
	bool asked[CRYPTO_SYSTEMS_MAX];
	uint16_t number[CRYPTO_SYSTEMS_MAX];
	uint64_t answer_ns[CRYPTO_SYSTEMS_MAX];
};

static void make_word(uint8_t word[CSA_CONTROL_WORD], void *arg)
{
	struct rig *g = arg;

	memset(word, 0, CSA_CONTROL_WORD);
	word[0] = (uint8_t)g->made++;
}

static void rig_start(struct rig *g, size_t n)
{
	struct crypto_config cfg = {
		.n = n, .period_ms = PERIOD_MS, .memory = &g->memory,
		.make_word = make_word, .arg = g, .now_ns = g->now_ns,
	};

	for (size_t i = 0; i < n; i++)
		cfg.systems[i] = (struct crypto_system_config){
			.system = 100 + i, .lost_after_s = 60,
		};
	crypto_init(&g->c, &cfg);
}

static void set_delay(struct rig *g, size_t system, int delay_start_ms)
{
	crypto_set_terms(&g->c, system, &(struct crypto_terms){
		.up = true, .delay = { delay_start_ms, delay_start_ms },
		.repetition_ms = 100,
	});
}

/* An ECM whose second byte is the system, and the next ones the number. */
static void answer(struct rig *g, size_t i)
{
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE, (uint8_t)i,
				      (uint8_t)(g->number[i] >> 8),
				      (uint8_t)g->number[i] };

	g->asked[i] = false;
	cr_assert(crypto_take_ecm(&g->c, i, g->number[i], packet, 1));
}

/* True when the word changed. */
static bool step(struct rig *g)
{
	uint16_t before = g->memory.number;

	g->now_ns += STEP_MS * MS;
	(void)crypto_turn(&g->c, g->now_ns);
	for (size_t i = 0; i < g->c.cfg.n; i++) {
		if (crypto_ask(&g->c, i, &g->number[i])) {
			g->asked[i] = true;
			g->answer_ns[i] = g->now_ns + g->answer_ms * MS;
		}
		if (g->asked[i] && !g->silent[i] &&
		    g->now_ns >= g->answer_ns[i])
			answer(g, i);
	}
	return g->memory.number != before;
}

static bool run(struct rig *g, unsigned ms)
{
	bool changed = false;

	for (unsigned at = 0; at < ms; at += STEP_MS)
		changed |= step(g);
	return changed;
}

static int on_air(const struct rig *g, size_t i)
{
	struct ts_run ecm = crypto_on_air(&g->c, i);

	return ecm.n > 0 ? ecm.data[2] << 8 | ecm.data[3] : -1;
}

static struct rig g;

Test(crypto_periods, change_the_word_at_the_end_of_each_period)
{
	rig_start(&g, 1);
	set_delay(&g, 0, 0);
	for (unsigned n = 0; n < 5; n++) {
		cr_assert_eq(g.memory.number, n);
		cr_assert_eq(crypto_is_odd(&g.c), n % 2);
		/* words[0] is that of the period before the first */
		cr_assert_eq(crypto_word(&g.c)[0], n + 1);
		cr_assert_not(run(&g, PERIOD_MS - 2 * STEP_MS));
		cr_assert_eq(on_air(&g, 0), (int)n);
		cr_assert(run(&g, 2 * STEP_MS));
	}
}

Test(crypto_periods, put_an_ecm_on_air_after_the_change)
{
	rig_start(&g, 1);
	set_delay(&g, 0, 200);
	while (!step(&g))
		;
	cr_assert_eq(on_air(&g, 0), 0);
	(void)run(&g, 190);
	cr_assert_eq(on_air(&g, 0), 0);
	(void)run(&g, 20);
	cr_assert_eq(on_air(&g, 0), 1);
}

Test(crypto_periods, put_an_ecm_on_air_ahead_of_the_change)
{
	uint64_t at_ns = 0;

	rig_start(&g, 1);
	set_delay(&g, 0, -500);
	while (!step(&g))
		if (on_air(&g, 0) == 1 && at_ns == 0)
			at_ns = g.now_ns;
	cr_assert_neq(at_ns, 0);
	cr_assert_eq(g.now_ns - at_ns, 500 * MS);
	cr_assert_eq(g.now_ns, PERIOD_MS * MS);
}

Test(crypto_periods, end_an_ecm_before_the_next_one_if_its_generator_wants)
{
	uint64_t end_ns = 0, begin_ns = 0;

	rig_start(&g, 1);
	crypto_set_terms(&g.c, 0, &(struct crypto_terms){
		.up = true, .delay = { 200, -100 } });
	while (begin_ns == 0) {
		(void)step(&g);
		if (on_air(&g, 0) == -1 && end_ns == 0 && g.now_ns > 1000 * MS)
			end_ns = g.now_ns;
		if (on_air(&g, 0) == 1)
			begin_ns = g.now_ns;
	}
	cr_assert_eq(end_ns, (PERIOD_MS - 100) * MS);
	cr_assert_eq(begin_ns, (PERIOD_MS + 200) * MS);
	cr_assert(crypto_take_news(&g.c, 0));
	(void)run(&g, PERIOD_MS / 2);
	cr_assert_eq(on_air(&g, 0), 1);
}

/* The worker after a change has other access criteria, and the same memory. */
Test(crypto_periods, other_access_criteria_have_delays_of_their_own)
{
	const struct crypto_terms terms = { .up = true, .delay = { 200, 200 },
					    .at_criteria = { 700, -300 } };
	uint64_t change_ns = 0, end_ns = 0, begin_ns = 0;

	rig_start(&g, 1);
	crypto_set_terms(&g.c, 0, &terms);
	while (on_air(&g, 0) != 1)
		(void)step(&g);
	rig_start(&g, 1);
	g.c.cfg.systems[0].criteria = 7;
	crypto_set_terms(&g.c, 0, &terms);
	while (begin_ns == 0) {
		if (step(&g))
			change_ns = g.now_ns;
		if (on_air(&g, 0) == -1 && end_ns == 0)
			end_ns = g.now_ns;
		if (on_air(&g, 0) == 2)
			begin_ns = g.now_ns;
	}
	cr_assert_eq(change_ns - end_ns, 300 * MS);
	cr_assert_eq(begin_ns - change_ns, 700 * MS);
	/* the next change has the usual delay */
	while (!step(&g))
		;
	(void)run(&g, 190);
	cr_assert_eq(on_air(&g, 0), 2);
	(void)run(&g, 20);
	cr_assert_eq(on_air(&g, 0), 3);
}

/* Silent until the stream is in the clear, then it answers. */
static void until_clear(int start_ms, int stop_ms)
{
	rig_start(&g, 1);
	g.c.cfg.systems[0].lost = CRYPTO_CLEAR;
	crypto_set_terms(&g.c, 0, &(struct crypto_terms){
		.up = true, .delay = { 200, 200 }, .transition = true,
		.at_clear = { start_ms, stop_ms } });
	(void)run(&g, PERIOD_MS / 2);
	g.silent[0] = true;
	while (crypto_mode(&g.c) == CRYPTO_SCRAMBLED) {
		(void)step(&g);
		if (crypto_mode(&g.c) == CRYPTO_SCRAMBLED)
			cr_assert_geq(on_air(&g, 0), 0);
	}
}

Test(crypto_periods, ecms_precede_the_first_scrambled_packet_by_their_delay)
{
	uint64_t begin_ns = 0;

	until_clear(-500, 300);
	(void)run(&g, 290);
	cr_assert_eq(on_air(&g, 0), 1);
	(void)run(&g, 20);
	cr_assert_eq(on_air(&g, 0), -1, "it ends after its delay");
	(void)run(&g, 5 * PERIOD_MS);
	cr_assert_eq(on_air(&g, 0), -1);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_CLEAR);
	g.silent[0] = false;
	while (crypto_mode(&g.c) == CRYPTO_CLEAR) {
		(void)step(&g);
		if (on_air(&g, 0) >= 0 && begin_ns == 0)
			begin_ns = g.now_ns;
	}
	cr_assert_eq(on_air(&g, 0), g.memory.number);
	cr_assert_eq(g.now_ns - begin_ns, 500 * MS);
	/* the next change has the usual delay */
	while (!step(&g))
		;
	cr_assert_eq(on_air(&g, 0), g.memory.number - 1);
	(void)run(&g, 210);
	cr_assert_eq(on_air(&g, 0), g.memory.number);
}

Test(crypto_periods, an_ecm_may_follow_the_first_scrambled_packet)
{
	uint64_t begin_ns;

	until_clear(400, -100);
	cr_assert_eq(on_air(&g, 0), -1, "no packet was known to be the last");
	g.silent[0] = false;
	while (crypto_mode(&g.c) == CRYPTO_CLEAR)
		(void)step(&g);
	begin_ns = g.now_ns;
	while (on_air(&g, 0) == -1)
		(void)step(&g);
	cr_assert_eq(g.now_ns - begin_ns, 400 * MS);
	cr_assert_eq(on_air(&g, 0), g.memory.number);
}

Test(crypto_periods, without_transition_delays_ecms_stay_in_the_clear)
{
	until_clear(0, 0);
	g.c.systems[0].terms.transition = false;
	(void)run(&g, PERIOD_MS);
	cr_assert_eq(on_air(&g, 0), 1);
}

/* A generator that is new while the stream is in the clear. */
Test(crypto_periods, the_first_ecm_precedes_the_first_scrambled_packet)
{
	rig_start(&g, 1);
	g.c.cfg.systems[0].lost = CRYPTO_CLEAR;
	(void)run(&g, 61000);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_CLEAR);
	crypto_set_terms(&g.c, 0, &(struct crypto_terms){
		.up = true, .transition = true, .at_clear = { -500, 0 } });
	while (on_air(&g, 0) == -1)
		(void)step(&g);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_CLEAR);
	(void)run(&g, 470);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_CLEAR);
	(void)run(&g, 50);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_SCRAMBLED);
	cr_assert_eq(on_air(&g, 0), g.memory.number);
}

Test(crypto_periods, keep_the_word_until_each_system_has_its_ecm)
{
	rig_start(&g, 2);
	set_delay(&g, 0, 0);
	set_delay(&g, 1, -300);
	(void)run(&g, 1000);
	g.silent[1] = true;
	cr_assert(run(&g, 2 * PERIOD_MS)); /* the next one was there */
	cr_assert_not(run(&g, 3 * PERIOD_MS));
	cr_assert_eq(on_air(&g, 0), 1);
	cr_assert_eq(on_air(&g, 1), 1);
	cr_assert_eq(crypto_late_s(&g.c, 0, g.now_ns), 0);
	cr_assert_gt(crypto_late_s(&g.c, 1, g.now_ns), 25);
	g.silent[1] = false;
	(void)run(&g, 200);
	cr_assert_eq(on_air(&g, 1), 2, "it goes on air first");
	cr_assert_eq(g.memory.number, 1);
	(void)run(&g, 200);
	cr_assert_eq(g.memory.number, 2);
	cr_assert_eq(on_air(&g, 0), 2);
}

Test(crypto_periods, follow_the_rule_of_a_system_without_ecms)
{
	rig_start(&g, 1);
	g.c.cfg.systems[0].lost = CRYPTO_CLEAR;
	(void)run(&g, 59000);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_SCRAMBLED);
	(void)run(&g, 2000);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_CLEAR);
	set_delay(&g, 0, 0);
	(void)run(&g, 100);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_SCRAMBLED);
}

Test(crypto_periods, stop_rather_than_send_in_the_clear)
{
	rig_start(&g, 2);
	g.c.cfg.systems[0].lost = CRYPTO_CLEAR;
	g.c.cfg.systems[1].lost = CRYPTO_STOPPED;
	(void)run(&g, 61000);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_STOPPED);
	g.c.cfg.systems[1].lost = CRYPTO_SCRAMBLED;
	(void)run(&g, 20);
	cr_assert_eq(crypto_mode(&g.c), CRYPTO_SCRAMBLED);
}

Test(crypto_periods, ask_again_after_the_end_of_a_worker)
{
	rig_start(&g, 1);
	set_delay(&g, 0, 0);
	(void)run(&g, 100);
	g.silent[0] = true;
	(void)run(&g, PERIOD_MS); /* asked, and not answered */
	cr_assert(g.asked[0]);
	crypto_set_down(&g.c, 0);
	g.asked[0] = false;
	(void)run(&g, 100);
	cr_assert_not(g.asked[0]);
	g.silent[0] = false;
	set_delay(&g, 0, 0);
	cr_assert(run(&g, PERIOD_MS));
}

Test(crypto_periods, continue_where_the_last_worker_ended)
{
	uint8_t word[CSA_CONTROL_WORD];

	rig_start(&g, 1);
	set_delay(&g, 0, 0);
	(void)run(&g, 2 * PERIOD_MS + 500);
	memcpy(word, crypto_word(&g.c), sizeof word);
	rig_start(&g, 1);
	cr_assert_eq(g.memory.number, 2);
	cr_assert_arr_eq(crypto_word(&g.c), word, sizeof word);
	cr_assert_eq(on_air(&g, 0), 2);
	cr_assert_not(run(&g, PERIOD_MS), "without terms none is requested");
	set_delay(&g, 0, 0);
	cr_assert(run(&g, 100));
	cr_assert_eq(on_air(&g, 0), 3);
}

Test(crypto_periods, take_nothing_from_a_damaged_memory)
{
	rig_start(&g, 1);
	set_delay(&g, 0, 0);
	(void)run(&g, 100);
	g.memory.on_air[0].n = 9;
	rig_start(&g, 1);
	cr_assert_eq(on_air(&g, 0), -1);
	set_delay(&g, 0, 0);
	(void)run(&g, 100);
	cr_assert_eq(on_air(&g, 0), 0);
	g.memory.on_air[0].packets[0] = 0;
	rig_start(&g, 1);
	cr_assert_eq(on_air(&g, 0), -1);
}

Test(crypto_periods, refuse_an_ecm_that_was_not_requested)
{
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE };
	uint16_t number;

	rig_start(&g, 1);
	cr_assert_not(crypto_take_ecm(&g.c, 0, 0, packet, 1));
	set_delay(&g, 0, 0);
	cr_assert(crypto_ask(&g.c, 0, &number));
	cr_assert_eq(number, 0);
	cr_assert_not(crypto_ask(&g.c, 0, &number), "one at a time");
	cr_assert_not(crypto_take_ecm(&g.c, 0, 1, packet, 1));
	packet[0] = 0;
	cr_assert_not(crypto_take_ecm(&g.c, 0, 0, packet, 1));
	packet[0] = TS_SYNC_BYTE;
	cr_assert(crypto_take_ecm(&g.c, 0, 0, packet, 1));
	cr_assert_not(crypto_take_ecm(&g.c, 0, 0, packet, 1));
}

Test(crypto_periods, wrap_their_numbers)
{
	rig_start(&g, 1);
	set_delay(&g, 0, 0);
	(void)run(&g, 100);
	g.memory.number = UINT16_MAX;
	g.c.systems[0].next.n = 0;
	g.c.systems[0].asked = false;
	while (!step(&g))
		;
	cr_assert_eq(g.memory.number, 0);
	cr_assert_not(crypto_is_odd(&g.c));
	cr_assert_eq(on_air(&g, 0), 0);
}

Test(crypto_periods, a_lost_generator_keeps_its_shortest_period)
{
	const struct crypto_terms terms = { .up = true, .period_ms = 30000,
					    .delay = { -500, -500 },
					    .repetition_ms = 50 };

	rig_start(&g, 1);
	crypto_set_terms(&g.c, 0, &terms);
	(void)run(&g, 1000); /* it has sent both ECMs */
	crypto_set_terms(&g.c, 0, &(struct crypto_terms){ .up = false });
	cr_assert_eq(crypto_period_ms(&g.c), 30000);
	cr_assert_eq(g.c.systems[0].terms.repetition_ms, 50);
	cr_assert_not(run(&g, 28000));
	cr_assert(run(&g, 2000));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an input shows beside its level: losses, and packets after a silence. */
#include "common/base/util.h"
#include "tests/unit/worker/failover/sim.h"

#include <criterion/criterion.h>

/* The first input loses packets again and again; which input is sent then,
 * where the second was on air for clean_ms since its last loss? */
static size_t sent_beside(unsigned clean_ms, bool has_loss, bool has_hole)
{
	struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 2);
	struct failover_sight good = { .level = FAILOVER_GOOD };
	struct failover_sight loss = good, lossy = good;
	uint64_t now = SIM_START_MS * SIM_MS;
	struct failover *f;
	size_t input;

	cfg.loss_ms = 0;
	loss.loss = true;
	lossy.loss = lossy.lossy = true;
	lossy.hole = has_hole;
	f = failover_new(&cfg, now);
	(void)failover_decide(f, 0, now);
	failover_see(f, 0, &good, now);
	failover_see(f, 1, has_loss ? &good : &loss, now);
	(void)failover_decide(f, 0, now);
	now += (uint64_t)(has_loss ? 20000 : 0) * SIM_MS;
	failover_see(f, 1, has_loss ? &loss : &good, now);
	now += clean_ms * SIM_MS;
	failover_see(f, 0, &lossy, now);
	input = failover_decide(f, 0, now)->input;
	/* it is not taken back while the second is pending */
	if (input == 1)
		cr_expect_eq(failover_decide(f, 0, now + SIM_MS)->input, 1);
	failover_free(&f);
	return input;
}

Test(failover_sights, losses_that_go_on_are_left_for_an_input_without_any)
{
	cr_expect_eq(sent_beside(FAILOVER_CLEAN_MS, true, false), 1);
	cr_expect_eq(sent_beside(FAILOVER_CLEAN_MS, false, false), 1);
	cr_expect_eq(sent_beside(FAILOVER_CLEAN_MS - 100, true, false), 0,
		     "the second lost a packet");
	cr_expect_eq(sent_beside(FAILOVER_CLEAN_MS - 100, false, false), 0,
		     "the second is not on air for long enough");
	cr_expect_eq(sent_beside(100, true, true), 1, "a hole is worse");
}

/* With no return delay, too; it is taken back when its losses ended. */
Test(failover_sights, an_input_that_goes_on_to_lose_is_not_taken_back)
{
	struct failover_config cfg = sim_config(FAILOVER_ACTIVE, 2);
	struct failover_sight good = { .level = FAILOVER_GOOD }, lossy = good;
	uint64_t now = SIM_START_MS * SIM_MS, end;
	const struct failover_decision *d;
	struct failover *f;

	cfg.loss_ms = cfg.return_ms = 0;
	lossy.loss = lossy.lossy = true;
	f = failover_new(&cfg, now);
	(void)failover_decide(f, 0, now);
	failover_see(f, 0, &good, now);
	failover_see(f, 1, &good, now);
	now += 20000 * SIM_MS;
	failover_see(f, 0, &lossy, now);
	cr_assert_eq(failover_decide(f, 0, now)->input, 1);
	for (unsigned i = 0; i < 20; i++) {
		now += (FAILOVER_HOLE_MS - 100) * SIM_MS;
		cr_expect_eq(failover_decide(f, 1, now)->input, 1, "%u", i);
		failover_see(f, 0, &lossy, now);
		cr_expect_eq(failover_decide(f, 1, now)->input, 1, "%u", i);
	}
	end = now + FAILOVER_HOLE_MS * SIM_MS;
	failover_see(f, 0, &good, now += SIM_MS);
	d = failover_decide(f, 1, now);
	cr_expect_eq(d->input, 1);
	cr_assert_leq(d->next_ns, end);
	cr_expect_eq(failover_decide(f, 1, end)->input, 0);
	failover_free(&f);
}

/* An input that was on air and has packets again ends the filler; where nothing
 * shall be sent instead of an input on air, its verdict comes first. */
Test(failover_sights, a_fresh_input_ends_the_filler)
{
	static const struct {
		enum failover_mode mode;
		bool filler, fresh;
		enum failover_cover cover;
	} cases[] = {
		{ FAILOVER_ACTIVE, true, false, FAILOVER_FILLER },
		{ FAILOVER_ACTIVE, true, true, FAILOVER_KEEP },
		{ FAILOVER_PASSIVE, true, true, FAILOVER_KEEP },
		{ FAILOVER_DISABLE, true, true, FAILOVER_KEEP },
		{ FAILOVER_STOP, true, true, FAILOVER_NOTHING },
		{ FAILOVER_STOP, false, true, FAILOVER_NOTHING },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct failover_config cfg = sim_config(cases[i].mode, 1);
		struct failover_sight sight = { .level = FAILOVER_GOOD };
		uint64_t now = SIM_START_MS * SIM_MS;
		const struct failover_decision *d;
		struct failover *f;

		cfg.start_ms = 0;
		cfg.filler = cases[i].filler;
		f = failover_new(&cfg, now);
		(void)failover_decide(f, FAILOVER_PLAYS_NONE, now);
		failover_see(f, 0, &sight, now);
		sight.level = FAILOVER_DEAD;
		failover_see(f, 0, &sight, now += SIM_MS);
		sight.fresh = cases[i].fresh;
		failover_see(f, 0, &sight, now += SIM_MS);
		d = failover_decide(f, FAILOVER_PLAYS_NONE, now);
		cr_expect_eq(d->cover, cases[i].cover, "case %zu", i);
		cr_expect_eq(d->enter, cases[i].cover == FAILOVER_KEEP,
			     "case %zu", i);
		failover_free(&f);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A service that is silent for long leaves the tables of the multiplex. */
#include "tests/unit/worker/mux/absent_rig.h"

#include "common/base/units.h"

#include <criterion/criterion.h>

/* The input leaves; nothing of it is sent, and the other one has no gap. */
static void lose(struct absent_rig *r)
{
	absent_rig_play(r, 3000);
	cr_assert(absent_rig_programs(r) == 2 && r->services == 2);
	r->off = true;
	absent_rig_play(r, ABSENT_MS - 200);
	cr_expect_eq(absent_rig_programs(r), 2u);
	cr_expect(!absent_rig_is_absent(r));
	absent_rig_play(r, 1500);
	cr_assert(absent_rig_is_absent(r));
	cr_expect_eq(absent_rig_programs(r), 1u);
	cr_expect_eq(r->services, 1u);
	r->of_pid[PMT_OUT] = r->of_pid[VIDEO_OUT] = r->of_pid[OTHER_OUT] = 0;
	absent_rig_play(r, 1000);
	cr_expect_eq(r->of_pid[PMT_OUT] + r->of_pid[VIDEO_OUT], 0u);
	cr_expect_geq(r->of_pid[OTHER_OUT], 290u);
	r->began = false;
	r->off = false;
}

Test(mux_absent, a_silent_input_leaves_the_tables_and_returns_at_a_picture)
{
	struct absent_rig *r = absent_rig_new();

	lose(r);
	r->pictures = 20;
	absent_rig_play(r, 200);
	/* the next I picture is 100 ms away */
	cr_expect(absent_rig_is_absent(r));
	cr_expect_eq(absent_rig_programs(r), 1u);
	cr_expect_eq(r->of_pid[VIDEO_OUT] + r->of_pid[PMT_OUT], 0u);
	absent_rig_play(r, 2000);
	cr_expect(!absent_rig_is_absent(r));
	cr_expect_eq(absent_rig_programs(r), 2u);
	cr_expect_eq(r->services, 2u);
	cr_expect(r->began && r->began_intra);
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

Test(mux_absent, an_input_returns_with_the_pmt_that_it_has_then)
{
	struct absent_rig *r = absent_rig_new();
	size_t len;

	absent_rig_play(r, 2000);
	len = r->pmt_len;
	lose(r);
	r->pmt_len = 0;
	r->pictures = 10;
	absent_rig_play(r, 50);
	r->version = 1; /* without sound */
	r->pictures = 0;
	absent_rig_play(r, 1000);
	cr_expect(!absent_rig_is_absent(r));
	cr_expect_eq(r->pmt_len, len - 5, "%zu, %zu", r->pmt_len, len);
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

Test(mux_absent, an_input_behind_a_silence_has_the_pmt_that_it_has_then)
{
	struct absent_rig *r = absent_rig_of(0, DELAY_MS);
	size_t len;

	absent_rig_play(r, 2000);
	len = r->pmt_len;
	r->off = true;
	absent_rig_play(r, 2000);
	r->off = false;
	r->version = 1;
	mux_restart(r->mux, 0);
	absent_rig_play(r, 30);
	r->pmt_len = 0;
	absent_rig_play(r, 1000);
	cr_expect_eq(r->pmt_len, len - 5, "%zu, %zu", r->pmt_len, len);
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

Test(mux_absent, an_input_without_such_a_picture_returns_after_a_while)
{
	struct absent_rig *r = absent_rig_new();

	lose(r);
	r->no_intra = true;
	absent_rig_play(r, RETURN_MS - 500);
	cr_expect(absent_rig_is_absent(r));
	absent_rig_play(r, 1500);
	cr_expect(!absent_rig_is_absent(r));
	cr_expect_eq(absent_rig_programs(r), 2u);
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

Test(mux_absent, an_input_whose_tables_change_returns_as_early)
{
	struct absent_rig *r = absent_rig_new();

	lose(r);
	r->no_intra = r->renews = true;
	absent_rig_play(r, RETURN_MS - 500);
	cr_expect(absent_rig_is_absent(r));
	absent_rig_play(r, 1500);
	cr_expect(!absent_rig_is_absent(r));
	absent_rig_free(r);
}

Test(mux_absent, a_picture_too_long_to_be_kept_is_not_sent_in_part)
{
	struct absent_rig *r = absent_rig_new();

	lose(r);
	r->between = 1100;
	r->pictures = 40;
	absent_rig_play(r, 300);
	cr_expect(absent_rig_is_absent(r));
	r->between = 0;
	absent_rig_play(r, 1000);
	cr_expect(!absent_rig_is_absent(r));
	cr_expect(r->began && r->began_intra);
	absent_rig_free(r);
}

Test(mux_absent, the_search_for_a_picture_begins_again_after_a_silence)
{
	struct absent_rig *r = absent_rig_new();

	lose(r);
	r->no_intra = true;
	absent_rig_play(r, RETURN_MS / 2 + 500);
	r->off = true;
	absent_rig_play(r, 1000);
	r->off = false;
	absent_rig_play(r, RETURN_MS / 2 + 500);
	cr_expect(absent_rig_is_absent(r));
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

Test(mux_absent, counters_continue_whenever_an_input_goes_and_returns)
{
	for (unsigned seed = 1; seed <= 10; seed++) {
		unsigned random = seed;
		unsigned absent_ms = absent_rig_draw(&random, 1000, 4000);
		struct absent_rig *r = absent_rig_of(absent_ms, DELAY_MS);

		absent_rig_play(r, 3000);
		for (unsigned i = 0; i < 10; i++) {
			r->off = true;
			absent_rig_play(r, absent_ms + 50);
			r->of_pid[PMT_OUT] = 0;
			absent_rig_play(r, absent_rig_draw(&random, 50, 2000));
			cr_assert_eq(r->of_pid[PMT_OUT], 0u);
			r->off = false;
			absent_rig_play(r, absent_rig_draw(&random, 100, 1500));
			cr_assert_eq(r->cc_errors, 0u, "seed %u, time %u",
				     seed, i);
		}
		absent_rig_free(r);
	}
}

Test(mux_absent, its_services_leave_the_tables_behind_its_last_packet)
{
	enum { LONG_MS = 2 * ABSENT_MS };
	struct absent_rig *r = absent_rig_of(ABSENT_MS, LONG_MS);

	absent_rig_play(r, 4000);
	r->of_pid[VIDEO_OUT] = 0;
	r->off = true;
	absent_rig_play(r, LONG_MS - 100);
	cr_expect(!absent_rig_is_absent(r));
	absent_rig_play(r, 600);
	cr_expect(absent_rig_is_absent(r));
	cr_expect_eq(absent_rig_programs(r), 1u);
	/* three in each tick */
	cr_expect_geq(r->of_pid[VIDEO_OUT], 3 * LONG_MS / TICK_MS - 6, "%u",
		      (unsigned)r->of_pid[VIDEO_OUT]);
	absent_rig_free(r);
}

Test(mux_absent, its_pmt_is_repeated_however_long_it_is_silent)
{
	for (unsigned ms = 100; ms < 4000; ms += 230) {
		struct absent_rig *r = absent_rig_of(0, DELAY_MS);

		absent_rig_play(r, 3000);
		r->off = true;
		absent_rig_play(r, ms);
		r->off = false;
		/* its source is another one */
		mux_restart(r->mux, 0);
		absent_rig_play(r, 1500);
		cr_expect_leq(r->pmt_gap_ns, 450 * MS, "%u ms: %u ms", ms,
			      (unsigned)(r->pmt_gap_ns / MS));
		cr_expect_eq(r->cc_errors, 0u);
		absent_rig_free(r);
	}
}

Test(mux_absent, a_change_of_the_sdt_keeps_its_distance_too)
{
	struct absent_rig *r = absent_rig_of(0, DELAY_MS);

	absent_rig_play(r, 3000);
	for (unsigned ms = 900; ms < 1100; ms += TICK_MS) {
		r->off = true;
		absent_rig_play(r, 620);
		r->off = false;
		mux_restart(r->mux, 0);
		absent_rig_play(r, ms);
	}
	/* 25 ms of 4 Mbit/s, and the packet */
	cr_expect_gt(r->sdt_apart, 67u, "%u", (unsigned)r->sdt_apart);
	absent_rig_free(r);
}

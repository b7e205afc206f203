/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Services of an input with several leave the tables and return. */
#include "tests/unit/worker/mux/absent_rig.h"

#include "common/base/units.h"

#include <criterion/criterion.h>

Test(absent_services, one_silent_service_of_several_is_not_running)
{
	struct absent_rig *r = absent_rig_of(0, DELAY_MS);

	r->two = true;
	absent_rig_play(r, 3000);
	cr_assert_eq(r->services, 3u);
	cr_expect_eq(r->stopped, 0u);
	r->second_off = true;
	absent_rig_play(r, 400);
	cr_expect(!absent_rig_service(r, 1).silent);
	absent_rig_play(r, 1600);
	cr_expect(absent_rig_service(r, 1).silent &&
		  !absent_rig_service(r, 1).absent);
	cr_expect(!absent_rig_service(r, 0).silent);
	cr_expect_eq(r->services, 3u);
	cr_expect_eq(r->stopped, 1u);
	cr_expect_eq(absent_rig_programs(r), 3u);
	r->second_off = false;
	absent_rig_play(r, 2000);
	cr_expect_eq(r->stopped, 0u);
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

Test(absent_services, one_silent_service_returns_at_a_picture)
{
	struct absent_rig *r = absent_rig_new();

	r->two = true;
	absent_rig_play(r, 3000);
	cr_assert(absent_rig_programs(r) == 3 && r->services == 3);
	r->second_off = true;
	absent_rig_play(r, ABSENT_MS - 200);
	cr_expect_eq(absent_rig_programs(r), 3u);
	absent_rig_play(r, 1500);
	cr_expect(absent_rig_service(r, 1).absent &&
		  !absent_rig_service(r, 0).absent);
	cr_expect_eq(absent_rig_programs(r), 2u);
	cr_expect_eq(r->services, 2u);
	r->of_pid[SECOND_PMT_OUT] = r->of_pid[SECOND_OUT] = 0;
	r->of_pid[VIDEO_OUT] = 0;
	absent_rig_play(r, 1000);
	/* not even its clock */
	cr_expect_eq(r->of_pid[SECOND_PMT_OUT] + r->of_pid[SECOND_OUT], 0u);
	cr_expect_geq(r->of_pid[VIDEO_OUT], 290u);
	r->second_began = false;
	r->second_off = false;
	r->pictures = 20;
	absent_rig_play(r, 200);
	/* the next I picture is 100 ms away */
	cr_expect(absent_rig_service(r, 1).absent);
	cr_expect_eq(r->of_pid[SECOND_OUT], 0u);
	absent_rig_play(r, 2000);
	cr_expect(!absent_rig_service(r, 1).absent);
	cr_expect_eq(absent_rig_programs(r), 3u);
	cr_expect_eq(r->services, 3u);
	cr_expect(r->second_began && r->second_intra);
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

/* Their input is lost; with its next I picture both return. */
static void lose_twins(bool own_sound)
{
	struct absent_rig *r = absent_rig_new();

	r->two = r->twin = true;
	r->own_sound = own_sound;
	absent_rig_play(r, 3000);
	cr_assert(absent_rig_programs(r) == 3 && r->services == 3);
	r->off = true;
	absent_rig_play(r, 3000);
	cr_assert(absent_rig_service(r, 0).absent &&
		  absent_rig_service(r, 1).absent);
	r->began = r->off = false;
	r->pictures = 20;
	absent_rig_play(r, 200);
	cr_expect(absent_rig_service(r, 0).absent &&
		  absent_rig_service(r, 1).absent);
	absent_rig_play(r, 1000);
	cr_expect(!absent_rig_service(r, 0).absent &&
		  !absent_rig_service(r, 1).absent);
	cr_expect_eq(absent_rig_programs(r), 3u);
	cr_expect_eq(r->services, 3u);
	cr_expect(r->began && r->began_intra);
	cr_expect_eq(r->cc_errors, 0u);
	absent_rig_free(r);
}

Test(absent_services, services_that_share_their_pictures_return_together)
{
	lose_twins(false);
	lose_twins(true);
}

Test(absent_services, counters_continue_whenever_one_service_goes_and_returns)
{
	for (unsigned seed = 1; seed <= 10; seed++) {
		unsigned random = seed;
		struct absent_rig *r = absent_rig_new();

		r->two = true;
		absent_rig_play(r, 2000);
		for (unsigned i = 0; i < 10; i++) {
			r->second_off = true;
			absent_rig_play(r, absent_rig_draw(&random, 900, 2500));
			r->second_off = false;
			absent_rig_play(r, absent_rig_draw(&random, 100, 1500));
			cr_assert_eq(r->cc_errors, 0u, "seed %u, time %u",
				     seed, i);
		}
		cr_expect_leq(r->pmt_gap_ns, 120 * MS, "%u ms",
			      (unsigned)(r->pmt_gap_ns / MS));
		absent_rig_free(r);
	}
}

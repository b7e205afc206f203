/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/output/departure_plan.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

#define START (1000 * MS)
/* Seven packets at 8 Mbit/s. */
#define EACH UINT64_C(1316000)

enum { TICK_MS = 10, FQ_LIMIT = 100 };

/* A sender that wakes up irregularly and sends all waiting packets. */
static struct {
	struct departure_plan plan;
	uint64_t now_ns, owed_ns; /* sent up to here */
	uint64_t last_ns;
	uint64_t least_gap, most_gap, most_lead;
	size_t n;
} sender;

static void forget_extremes(void)
{
	sender.least_gap = UINT64_MAX;
	sender.most_gap = sender.most_lead = 0;
	sender.n = 0;
}

static void begin(unsigned limit)
{
	departure_plan_init(&sender.plan, limit);
	sender.now_ns = sender.owed_ns = sender.last_ns = START;
	forget_extremes();
}

static void give(void)
{
	uint64_t due = departure_plan_next(&sender.plan, sender.now_ns);
	uint64_t gap = due - sender.last_ns;

	cr_assert_geq(due, sender.last_ns, "goes back");
	cr_assert_geq(due, sender.now_ns, "in the past");
	sender.least_gap = MIN(sender.least_gap, gap);
	sender.most_gap = MAX(sender.most_gap, gap);
	sender.most_lead = MAX(sender.most_lead, due - sender.now_ns);
	sender.last_ns = due;
	sender.n++;
}

static void run(unsigned ms, uint64_t each_ns, unsigned tick_ms)
{
	for (uint64_t end = sender.now_ns + ms * MS; sender.now_ns < end;) {
		sender.now_ns += tick_ms * MS;
		for (; sender.owed_ns + each_ns <= sender.now_ns;
		     sender.owed_ns += each_ns)
			give();
	}
}

Test(departure_plan, spaces_datagrams_evenly_after_a_second)
{
	begin(FQ_LIMIT);
	run(5000, EACH, TICK_MS);
	forget_extremes();
	run(10000, EACH, TICK_MS);
	cr_assert_geq(sender.n, 7590);
	cr_assert_geq(sender.least_gap, EACH * 8 / 10);
	cr_assert_leq(sender.most_gap, EACH * 12 / 10);
	cr_assert_leq(sender.most_lead, 25 * MS);
}

Test(departure_plan, recovers_from_a_late_release_without_a_burst)
{
	begin(FQ_LIMIT);
	run(5000, EACH, TICK_MS);
	run(40, EACH, 40);
	cr_assert_leq(sender.most_lead, 60 * MS);
	run(300, EACH, TICK_MS);
	forget_extremes();
	run(1000, EACH, TICK_MS);
	cr_assert_geq(sender.least_gap, EACH * 8 / 10);
	cr_assert_leq(sender.most_lead, 25 * MS);
}

Test(departure_plan, follows_a_change_of_the_rate_with_a_short_lead)
{
	begin(FQ_LIMIT);
	run(5000, 2 * EACH, TICK_MS);
	forget_extremes();
	run(10000, EACH, TICK_MS);
	cr_assert_leq(sender.most_lead, 50 * MS);
	run(5000, EACH, TICK_MS);
	forget_extremes();
	run(1000, EACH, TICK_MS);
	cr_assert_geq(sender.least_gap, EACH * 8 / 10);
	run(5000, 4 * EACH, TICK_MS);
	forget_extremes();
	run(1000, 4 * EACH, TICK_MS);
	cr_assert_geq(sender.least_gap, 4 * EACH * 7 / 10);
}

Test(departure_plan, has_no_plan_for_a_rate_beyond_the_queue)
{
	begin(FQ_LIMIT);
	run(3000, EACH / 10, TICK_MS);
	cr_assert_eq(sender.most_lead, 0);
	/* with a longer queue */
	begin(10 * FQ_LIMIT);
	run(3000, EACH / 10, TICK_MS);
	cr_assert_gt(sender.most_lead, 5 * MS);
}

Test(departure_plan, measures_the_rate_again_after_a_pause)
{
	begin(FQ_LIMIT);
	run(3000, EACH, TICK_MS);
	sender.now_ns += 2000 * MS;
	sender.owed_ns = sender.now_ns;
	forget_extremes();
	run(900, EACH / 2, TICK_MS);
	cr_assert_eq(sender.most_lead, 0);
	run(3000, EACH / 2, TICK_MS);
	forget_extremes();
	run(1000, EACH / 2, TICK_MS);
	cr_assert_geq(sender.least_gap, EACH / 2 * 8 / 10);
}

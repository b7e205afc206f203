/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/input/playout.h"

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>

#define START (777 * MS)

enum {
	PID = 0x101,
	EVERY = 40,     /* packets between two PCRs */
	SPACE_MS = 40,  /* time between two PCRs: a packet a millisecond */
	LEAD_MS = 1000,
	ROOM = 8000,
	TICK_MS = 10,
};

struct bench {
	struct playout playout;
	struct batch batch;
	uint64_t pcr_packets; /* made so far */
	size_t came;          /* packets that came out */
	size_t most;          /* in one tick */
	size_t calls;         /* in which they came */
};

static void on_packets(const struct ts_run *runs, size_t n, void *arg)
{
	struct bench *b = arg;

	for (size_t i = 0; i < n; i++)
		b->came += runs[i].n;
	b->calls++;
}

static void setup(struct bench *b, unsigned lead_ms)
{
	*b = (struct bench){ 0 };
	batch_init(&b->batch, on_packets, b);
	playout_init(&b->playout, lead_ms, ROOM, START);
}

/* The next n packets of the source. */
static void push(struct bench *b, size_t n)
{
	static struct build *build; /* large: made once */

	if (build == NULL)
		build = build_new();
	build->n = 0;
	for (size_t i = 0; i < n; i++, b->pcr_packets++) {
		uint64_t ms = b->pcr_packets / EVERY * SPACE_MS;
		if (b->pcr_packets % EVERY == 0)
			build_pcr(build, PID, ms * 27000);
		else
			build_null(build);
	}
	playout_push(&b->playout, build_run(build));
}

static void take(struct bench *b, uint64_t ms)
{
	size_t n = playout_take(&b->playout, &b->batch, START + ms * MS);

	b->most = MAX(b->most, n);
}

Test(playout, starts_at_the_lead)
{
	struct bench b;

	setup(&b, LEAD_MS);
	push(&b, 900);
	take(&b, 10);
	cr_assert_eq(b.came, 0);
	push(&b, 200);
	for (uint64_t ms = 20; ms <= 120; ms += TICK_MS)
		take(&b, ms);
	cr_assert(b.came >= 90 && b.came <= 110, "%zu", b.came);
	playout_done(&b.playout);
}

Test(playout, smooths_a_burst_a_second)
{
	struct bench b;

	setup(&b, LEAD_MS);
	push(&b, 1000);
	for (uint64_t ms = 0; ms < 10000; ms += TICK_MS) {
		if (ms % 1000 == 0)
			push(&b, 1000);
		take(&b, ms);
	}
	cr_assert(b.came > 9900 && b.came < 10100, "%zu", b.came);
	cr_assert(b.most <= 12, "%zu packets in one tick", b.most);
	playout_done(&b.playout);
}

Test(playout, sends_due_packets_at_once_however_many_pcrs_they_have)
{
	struct bench b;

	setup(&b, LEAD_MS);
	push(&b, 1100);
	take(&b, 0);
	b.came = b.calls = 0;
	take(&b, 5 * SPACE_MS);
	cr_assert(b.came >= 4 * EVERY && b.came <= 6 * EVERY, "%zu", b.came);
	cr_assert_eq(b.calls, 1);
	playout_done(&b.playout);
}

/* A source whose clock is ppm off: 500 ppm are 1.8 s in an hour, the lead
 * would be gone after half of one. */
static void drift(int ppm)
{
	struct bench b;
	size_t least = SIZE_MAX, most = 0;
	uint64_t fed = 0;

	setup(&b, LEAD_MS);
	push(&b, 1000);
	for (uint64_t ms = 0; ms < 2 * 3600 * 1000; ms += TICK_MS) {
		/* the source's seconds are not ours */
		uint64_t due = ms + (uint64_t)((int64_t)ms / 1000 * ppm / 1000);

		push(&b, (size_t)(due - fed));
		fed = due;
		take(&b, ms);
		least = MIN(least, b.playout.ring.len);
		most = MAX(most, b.playout.ring.len);
	}
	cr_assert_eq(b.playout.underruns, 0);
	cr_assert(least > 500, "%zu", least);
	cr_assert(most < 1500, "%zu", most);
	playout_done(&b.playout);
}

/* Otherwise a later splice would jump by the whole delay. */
Test(playout, stops_its_clock_while_it_is_late)
{
	const uint64_t step = 2 * SPACE_MS * MS;
	struct bench b;
	uint64_t ms = 0, due;

	setup(&b, LEAD_MS);
	for (int i = 0; i < 5; i++)
		push(&b, 1000);
	for (unsigned i = 0; i < 3; i++) {
		for (uint64_t until = ms + 500; ms < until; ms += TICK_MS)
			take(&b, ms);
		due = playout_due_ns(&b.playout);
		ms += 300 + 400 * i;
		take(&b, ms);
		cr_assert_leq(playout_due_ns(&b.playout) - due,
			      (FILE_CLOCK_LATE_MS + 1) * MS + step);
	}
	/* in step with the packets, which are one a millisecond */
	cr_assert_leq(playout_due_ns(&b.playout) - START,
		      b.came * MS + step);
	cr_assert_geq(playout_due_ns(&b.playout) - START + step,
		      b.came * MS);
	playout_done(&b.playout);
}

Test(playout, follows_a_source_that_runs_fast)
{
	drift(500);
}

Test(playout, follows_a_source_that_runs_slow)
{
	drift(-500);
}

Test(playout, builds_the_lead_again_after_an_underrun)
{
	struct bench b;
	size_t before;

	setup(&b, LEAD_MS);
	push(&b, 1100);
	for (uint64_t ms = 0; ms < 3000; ms += TICK_MS)
		take(&b, ms);
	cr_assert_eq(b.playout.underruns, 1);
	before = b.came;
	push(&b, 500);
	take(&b, 3010);
	cr_assert_eq(b.came, before);
	push(&b, 700);
	for (uint64_t ms = 3020; ms < 3120; ms += TICK_MS)
		take(&b, ms);
	cr_assert(b.came > before);
	playout_done(&b.playout);
}

/* The connection of a live source broke, or its whole body was short. */
Test(playout, plays_what_a_source_sent_before_it_ended)
{
	enum { PACKETS = 500, MORE = 300 };
	struct bench b;
	uint64_t ms = 20;

	setup(&b, LEAD_MS);
	push(&b, PACKETS);
	take(&b, 10);
	cr_assert_eq(b.came, 0);
	cr_assert(playout_is_dry(&b.playout));
	b.playout.ended = true;
	cr_assert_not(playout_is_dry(&b.playout));
	for (; ms <= 270; ms += TICK_MS)
		take(&b, ms);
	/* at the pace of its PCRs */
	cr_assert(b.came >= 230 && b.came <= 270, "%zu", b.came);
	/* the next connection continues it */
	b.playout.ended = false;
	push(&b, MORE);
	for (; ms <= 700; ms += TICK_MS)
		take(&b, ms);
	cr_assert(b.came >= 660 && b.came <= 700, "%zu", b.came);
	b.playout.ended = true;
	for (; ms <= 900; ms += TICK_MS)
		take(&b, ms);
	cr_assert_eq(b.came, PACKETS + MORE);
	cr_assert(playout_is_dry(&b.playout));
	cr_assert_leq(b.most, 2 * TICK_MS);
	playout_done(&b.playout);
}

Test(playout, passes_packets_on_without_a_lead)
{
	struct bench b;

	setup(&b, 0);
	push(&b, 700);
	take(&b, 0);
	cr_assert_eq(b.came, 700);
	playout_done(&b.playout);
}

Test(playout, starts_with_a_full_queue_below_the_lead)
{
	struct bench b;

	setup(&b, 60 * LEAD_MS);
	push(&b, 3000);
	push(&b, ROOM - PLAYOUT_ROOM_MIN + 1 - 3000);
	for (uint64_t ms = 0; ms <= 100; ms += TICK_MS)
		take(&b, ms);
	cr_assert(b.came > 0);
	playout_done(&b.playout);
}

Test(playout, plays_a_full_queue_without_pcrs)
{
	struct bench b;
	struct build *build = build_new();

	setup(&b, LEAD_MS);
	for (int i = 0; i < BUILD_PACKETS; i++)
		build_null(build);
	playout_push(&b.playout, build_run(build));
	playout_push(&b.playout, (struct ts_run){ build->data, 2000 });
	for (uint64_t ms = 0; ms <= 1000; ms += TICK_MS)
		take(&b, ms);
	cr_assert(b.came > 0);
	build_free(build);
	playout_done(&b.playout);
}

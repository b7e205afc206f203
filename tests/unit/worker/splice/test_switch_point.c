/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "tests/unit/worker/splice/source.h"

#include "worker/splice/switch_point.h"
#include "worker/ts/pcr.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct switch_point *e;
static struct source *a;
static uint64_t now;
static struct ts_run rest[4];
static size_t n_rest;

static void setup(void)
{
	e = switch_point_new(NULL);
	a = source_new(90000);
	now = 1000 * MS;
}

static void teardown(void)
{
	switch_point_free(&e);
	free(a);
}

TestSuite(entry, .init = setup, .fini = teardown);

/* Feeds n packets, 1 ms each; how many it took to be entered, 0: not. */
static size_t feed(size_t n)
{
	for (size_t i = 1; i <= n; i++) {
		struct ts_run run = source_make(a, 1);

		now += MS;
		if (switch_point_feed(e, &run, 1, now, rest, &n_rest))
			return i;
	}
	return 0;
}

Test(entry, is_a_picture_to_begin_with_once_tables_and_clock_are_known)
{
	switch_point_want(e, 5000, now);
	/* the first picture comes before the first PCR, and is kept; the next
	 * one to begin with is 480 ms later */
	a->no_pcr = true;
	cr_assert_eq(feed(100), 0);
	a->no_pcr = false;
	cr_assert_neq(feed(60), 0);
	cr_assert_eq(n_rest, 2);
	cr_assert(ts_random_access(rest[0].data));
	cr_assert_eq(ts_pid(rest[0].data), SOURCE_VIDEO);
	cr_assert_eq(rest[1].n, 1);
	cr_assert_not(switch_point_is_late(e));
	cr_assert_eq(feed(2000), 0, "it is found once");
}

Test(entry, uses_the_tables_that_another_stage_reads)
{
	struct psi *psi = psi_new();
	bool found = false;

	for (size_t i = 0; i < 500; i++)
		(void)psi_feed(psi, source_make(a, 1).data);
	switch_point_free(&e);
	e = switch_point_new(psi);
	switch_point_want(e, 5000, now);
	for (size_t i = 0; i < 1000 && !found; i++) {
		struct ts_run run = source_make(a, 1);

		now += MS;
		if (psi_class(psi, ts_pid(run.data)) != PID_PSI)
			found = switch_point_feed(e, &run, 1, now, rest,
						  &n_rest);
	}
	cr_assert(found);
	cr_assert(ts_random_access(rest[0].data));
	switch_point_free(&e);
	psi_free(&psi);
}

Test(entry, is_not_looked_for_before_it_is_wanted)
{
	cr_assert_eq(feed(3000), 0);
	switch_point_want(e, 5000, now);
	cr_assert_neq(feed(600), 0);
	switch_point_want(e, 5000, now);
	switch_point_cancel(e);
	cr_assert_eq(feed(3000), 0);
}

Test(entry, is_any_unit_after_the_wait_and_any_packet_after_twice_that)
{
	size_t n;

	a->gop = 1000000;
	source_skip(a, 100);
	switch_point_want(e, SWITCH_POINT_WAIT_MS, now);
	n = feed(5000);
	cr_assert_gt(n, 2000);
	cr_assert_lt(n, 2100);
	cr_assert(ts_pusi(rest[0].data));

	switch_point_reset(e);
	a->no_pcr = true;
	switch_point_want(e, SWITCH_POINT_WAIT_MS, now);
	n = feed(5000);
	cr_assert_gt(n, 4000);
	cr_assert_lt(n, 4010);
}

/* Else its pictures would be sent at once, and without its tables. */
Test(entry, is_soon_after_a_random_access_point_of_known_tables_alone)
{
	size_t n;

	(void)feed(1000);
	a->gop = 1000000;
	switch_point_want(e, 200, now);
	n = feed(1000);
	cr_assert_gt(n, 200);
	cr_assert_lt(n, 300);
	cr_assert(switch_point_is_late(e));

	switch_point_interrupt(e, true);
	a->no_pcr = true;
	switch_point_want(e, 200, now);
	cr_assert_gt(feed(5000), 4000);

	switch_point_reset(e);
	a->no_pcr = false;
	switch_point_want(e, 200, now);
	cr_assert_gt(feed(5000), 2000);
}

Test(entry, is_late_if_the_source_has_shown_better_ones)
{
	(void)feed(1000);
	a->gop = 1000000;
	switch_point_want(e, 5000, now);
	cr_assert_eq(feed(1500), 0);
	/* the source before it died meanwhile */
	switch_point_set_wait(e, 2000);
	cr_assert_eq(feed(400), 0);
	cr_assert_neq(feed(200), 0);
	cr_assert(switch_point_is_late(e));
	cr_assert_not(switch_point_is_blind(e));

	/* nothing better is known */
	switch_point_reset(e);
	(void)feed(200);
	switch_point_want(e, 1000, now);
	cr_assert_neq(feed(5000), 0);
	cr_assert_not(switch_point_is_late(e));
	cr_assert(switch_point_is_blind(e));

	/* the next point forgets it */
	switch_point_want(e, 5000, now);
	a->gop = 12;
	cr_assert_neq(feed(5000), 0);
	cr_assert_not(switch_point_is_blind(e));
}

/* As long as the source before is silent: from then on. */
Test(entry, may_have_arrived_before_it_is_wanted)
{
	size_t age_ms;

	(void)feed(3000);
	switch_point_want(e, 5000, now);
	cr_assert_eq(feed(1), 0);
	switch_point_set_past(e, now - SWITCH_POINT_PAST_MS * MS);
	cr_assert_eq(feed(1), 1);
	cr_assert(switch_point_is_held(e));
	cr_assert_eq(n_rest, 2);
	cr_assert(ts_random_access(rest[0].data));
	cr_assert_eq(rest[1].n, 1);
	age_ms = rest[0].n + 1;
	/* it is found once */
	cr_assert_eq(feed(SWITCH_POINT_PAST_MS), 0);

	/* not one that is older than the silence, or too old */
	for (int i = 0; i < 2; i++) {
		switch_point_reset(e);
		free(a);
		a = source_new(90000);
		now += 1000 * MS;
		a->gop = 12;
		(void)feed(3002 - age_ms);
		a->gop = 1000000;
		(void)feed(i == 0 ? 400 : SWITCH_POINT_PAST_MS + 1);
		switch_point_want(e, 5000, now);
		switch_point_set_past(e, i == 0 ? now - 390 * MS : 0);
		cr_assert_eq(feed(1), 0, "%d", i);
		switch_point_cancel(e);
	}
}

/* The tables of the switch go out in front of it. */
Test(entry, is_not_older_than_the_tables)
{
	(void)feed(3000);
	free(a);
	a = source_new(90000 + 3000 * 90);
	a->program = 77;
	a->gop = 1000000;
	source_skip(a, 20);
	(void)feed(150);
	switch_point_want(e, 5000, now);
	switch_point_set_past(e, now - SWITCH_POINT_PAST_MS * MS);
	cr_assert_eq(feed(1), 0);
}

/* A picture that is not decided, and the packets of many other programs. */
Test(entry, random_access_indicator_decides_what_cannot_wait)
{
	for (int marked = 0; marked <= 1; marked++) {
		uint8_t other[TS_PACKET] = { TS_SYNC_BYTE, 0x1a, 0xbc, 0x10 };
		struct ts_run run = { other, 1 };
		size_t n = 0;

		switch_point_reset(e);
		free(a);
		a = source_new(90000);
		a->header_alone = !marked;
		a->pictures = 1; /* the first one is no start */
		switch_point_want(e, 60000, now);
		/* the first picture after tables and clock, with a start */
		(void)feed(482);
		while (n < SWITCH_POINT_HELD_MAX + 10 &&
		       !switch_point_feed(e, &run, 1, now, rest, &n_rest))
			n++;
		if (!marked) {
			cr_assert_eq(n, SWITCH_POINT_HELD_MAX + 10);
			continue;
		}
		cr_assert_leq(n, SWITCH_POINT_HELD_MAX);
		cr_assert_geq(n, SWITCH_POINT_HELD_MAX - 60);
		cr_assert(ts_random_access(rest[0].data));
		cr_assert_eq(rest[0].n + 1, SWITCH_POINT_HELD_MAX);
	}
}

Test(entry, the_wait_begins_with_the_first_packet)
{
	a->gop = 1000000;
	source_skip(a, 100);
	switch_point_want(e, 1000, now);
	now += 5000 * MS;
	cr_assert_gt(feed(5000), 1000);
}

Test(entry, without_pictures_sound_will_do)
{
	struct ts_run run;
	size_t i;

	switch_point_want(e, 5000, now);
	for (i = 0; i < 1000; i++) {
		run = source_make(a, 1);
		now += MS;
		/* the PCRs stay */
		if (ts_pid(run.data) == SOURCE_VIDEO &&
		    ts_has_payload(run.data))
			continue;
		if (switch_point_feed(e, &run, 1, now, rest, &n_rest))
			break;
	}
	/* the tables name a video: it is waited for */
	cr_assert_eq(i, 1000);
}

Test(entry, hands_on_all_that_follows)
{
	struct ts_run runs[3];
	const uint8_t *first;

	source_skip(a, 400);
	cr_assert_eq(feed(60), 0);
	switch_point_want(e, 5000, now);
	(void)source_make(a, 300);
	runs[0] = (struct ts_run){ a->data, 10 };
	runs[1] = (struct ts_run){ a->data + 10 * TS_PACKET, 200 };
	runs[2] = (struct ts_run){ a->data + 210 * TS_PACKET, 90 };
	cr_assert(switch_point_feed(e, runs, 3, now, rest, &n_rest));
	cr_assert_eq(n_rest, 2);
	first = rest[0].data;
	cr_assert(ts_random_access(first));
	cr_assert_eq(rest[0].data + rest[0].n * TS_PACKET, runs[2].data);
	cr_assert_eq(rest[1].data, runs[2].data);
	cr_assert_eq(rest[1].n, 90);
}

Test(entry, measures_how_far_the_clock_is_ahead)
{
	uint64_t phase, wanted;
	uint16_t program;

	cr_assert_not(switch_point_phase(e, &program, &phase));
	a->program = 77;
	(void)feed(3000);
	cr_assert(switch_point_phase(e, &program, &phase));
	cr_assert_eq(program, 77);
	wanted = source_clock(a) * 300 - now / 1000 * 27;
	cr_assert_lt(llabs(wrap_diff(phase, wanted % PCR_WRAP, PCR_WRAP)),
		     27000 * 3);
	switch_point_reset(e);
	cr_assert_not(switch_point_phase(e, &program, &phase));
}

Test(entry, the_burst_of_a_source_that_hung_shows_only_its_end)
{
	uint64_t phase, wanted;
	uint16_t program;
	struct ts_run run;

	(void)feed(3000);
	now += 2500 * MS;
	run = source_make(a, 2500);
	(void)switch_point_feed(e, &run, 1, now, rest, &n_rest);
	(void)feed(200);
	cr_assert(switch_point_phase(e, &program, &phase));
	wanted = source_clock(a) * 300 - now / 1000 * 27;
	cr_assert_lt(llabs(wrap_diff(phase, wanted % PCR_WRAP, PCR_WRAP)),
		     27000 * 10);
}

/* The PMT lists a video, of which packets without payload have the PCRs. */
Test(entry, a_video_that_is_not_sent_is_not_waited_for)
{
	uint64_t begun = now;
	bool found = false;

	switch_point_want(e, 15000, now);
	while (!found && now - begun < 15000 * MS) {
		struct ts_run run = source_make(a, 1);

		now += MS;
		if (ts_pid(run.data) == SOURCE_VIDEO &&
		    ts_has_payload(run.data))
			continue;
		found = switch_point_feed(e, &run, 1, now, rest, &n_rest);
	}
	cr_assert(found);
	cr_expect_geq(now - begun, SWITCH_POINT_WAIT_MS * MS);
	cr_expect_leq(now - begun, 2500 * MS);
	cr_expect_eq(ts_pid(rest[n_rest - 1].data), SOURCE_AUDIO);
}

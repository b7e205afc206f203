/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "common/base/util.h"
#include "worker/tables/section_schedule.h"
#include "worker/tables/time_build.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 5 };

static const struct schedule_key nit = { 0x10, 0x40, 1, 0 };
static const struct schedule_key sdt = { 0x11, 0x42, 1, 0 };
static const struct schedule_key tdt = { 0x14, 0x70, 0, 0 };

static size_t clock_section(int64_t unix_s, void *arg,
			    uint8_t ret[SCHEDULE_CLOCK_LEN])
{
	*(int64_t *)arg = unix_s;
	tdt_build(unix_s, ret);
	return TDT_LEN;
}

/* Runs for this time and notes when each section (by its first byte) came. */
static size_t run(struct schedule *s, unsigned seconds, uint64_t *at,
		  uint8_t *what, size_t max)
{
	struct schedule_due due;
	size_t n = 0;

	for (uint64_t ms = TICK_MS; ms < seconds * 1000; ms += TICK_MS)
		while (schedule_next(s, ms * MS, ms, false, &due) && n < max) {
			at[n] = ms;
			what[n++] = due.data[0];
		}
	return n;
}

Test(schedule, sends_each_section_within_its_interval_and_25_ms_apart)
{
	struct schedule *s = schedule_new();
	const uint8_t a = 1, b = 2, c = 3;
	const struct schedule_section list[] = { { &a, 1 }, { &b, 1 } };
	const struct schedule_section other[] = { { &c, 1 } };
	static uint64_t at[4096], last[4], last_nit;
	static uint8_t what[4096];
	size_t n;

	cr_assert(schedule_set(s, &nit, 1000, list, 2));
	cr_assert(schedule_set(s, &sdt, 200, other, 1));
	n = run(s, 60, at, what, 4096);
	for (size_t i = 0; i < n; i++) {
		uint64_t most = what[i] == 3 ? 200 : 1000;

		if (last[what[i]] > 0)
			cr_assert_leq(at[i] - last[what[i]], most);
		last[what[i]] = at[i];
		if (what[i] == 3)
			continue;
		cr_assert(last_nit == 0 || at[i] - last_nit >= 25);
		last_nit = at[i];
	}
	cr_assert(last[1] > 58000 && last[2] > 58000 && last[3] > 59000);
	/* nor much more often than it must */
	cr_assert_leq(n, 60 * 2 * 10 / 9 + 60 * 5 * 10 / 9 + 6);
	schedule_free(&s);
}

Test(schedule, a_cycle_of_many_sections_grows)
{
	struct schedule *s = schedule_new();
	struct schedule_section list[200];
	static uint64_t at[4096];
	static uint8_t what[4096];
	uint8_t data[200];
	size_t n;

	for (size_t i = 0; i < 200; i++) {
		data[i] = (uint8_t)i;
		list[i] = (struct schedule_section){ &data[i], 1 };
	}
	cr_assert(schedule_set(s, &nit, 1000, list, 200));
	n = run(s, 12, at, what, 4096);
	cr_assert_geq(n, 400);
	for (size_t i = 1; i < n; i++) {
		cr_assert_geq(at[i] - at[i - 1], 25);
		cr_assert_eq(what[i], (what[i - 1] + 1) % 200);
	}
	schedule_free(&s);
}

Test(schedule, a_changed_table_goes_out_at_once_and_a_removed_one_never)
{
	struct schedule *s = schedule_new();
	const uint8_t a = 1, b = 2;
	struct schedule_due due;

	cr_assert(schedule_set(s, &nit, 10000,
			       &(struct schedule_section){ &a, 1 }, 1));
	cr_assert(schedule_next(s, 1000 * MS, 0, false, &due));
	cr_assert_not(schedule_next(s, 1030 * MS, 0, false, &due));
	/* the same content stays in its turn */
	cr_assert(schedule_set(s, &nit, 10000,
			       &(struct schedule_section){ &a, 1 }, 1));
	cr_assert_not(schedule_next(s, 1030 * MS, 0, false, &due));
	cr_assert(schedule_set(s, &nit, 10000,
			       &(struct schedule_section){ &b, 1 }, 1));
	cr_assert_not(schedule_next(s, 1020 * MS, 0, false, &due));
	cr_assert(schedule_next(s, 1030 * MS, 0, false, &due));
	cr_assert_eq(due.data[0], 2);
	cr_assert(schedule_set(s, &nit, 0, NULL, 0));
	cr_assert_not(schedule_next(s, 60000 * MS, 0, false, &due));
	schedule_free(&s);
}

/* Wherever in the cycle the change comes. */
Test(schedule, a_change_keeps_the_interval_of_each_section)
{
	for (unsigned change_ms = 5000; change_ms < 7000; change_ms += 50) {
		struct schedule *s = schedule_new();
		uint8_t data[] = { 0, 1, 2, 3 };
		const struct schedule_section list[] = {
			{ data, 1 }, { data + 1, 1 }, { data + 2, 1 },
			{ data + 3, 1 } };
		uint64_t last[4] = { 0 }, before = 0;
		struct schedule_due due;

		cr_assert(schedule_set(s, &nit, 2000, list, 4));
		for (uint64_t ms = TICK_MS; ms < 12000; ms += TICK_MS) {
			if (ms == change_ms) {
				data[0] = 0x10;
				cr_assert(schedule_set(s, &nit, 2000, list,
						       4));
			}
			while (schedule_next(s, ms * MS, ms, false, &due)) {
				uint64_t *at = &last[due.data[0] & 3];

				if (*at > 0)
					cr_expect_leq(ms - *at, 2000);
				cr_expect(before == 0 || ms - before >= 25);
				*at = before = ms;
			}
		}
		cr_expect_gt(last[3], 10000);
		schedule_free(&s);
	}
}

Test(schedule, refuses_too_many_tables)
{
	struct schedule *s = schedule_new();
	const uint8_t a = 1;
	const struct schedule_section list = { &a, 1 };
	struct schedule_key key = nit;

	for (; key.extension <= SCHEDULE_TABLES_MAX; key.extension++)
		cr_assert(schedule_set(s, &key, 1000, &list, 1));
	cr_assert_not(schedule_set(s, &key, 1000, &list, 1));
	cr_assert_not(schedule_set(s, &nit, 1000, &list,
				   SCHEDULE_SECTIONS_MAX + 1));
	schedule_free(&s);
}

Test(schedule, a_clock_names_its_second_and_only_early_in_it)
{
	struct schedule *s = schedule_new();
	struct schedule_due due;
	int64_t named = 0, last = 0;

	cr_assert(schedule_set_clock(s, &tdt, 30000, clock_section, &named));
	for (uint64_t ms = 70; ms < 200000; ms += 7)
		while (schedule_next(s, ms * MS, ms, false, &due)) {
			cr_assert(due.clock);
			cr_assert_lt(ms % 1000, SCHEDULE_CLOCK_MS);
			cr_assert_eq(named, (int64_t)(ms / 1000));
			cr_assert(named - last <= 30);
			cr_assert(last == 0 || named - last >= 25);
			last = named;
		}
	cr_assert_gt(last, 170);
	/* a clock that is set back is sent in its next second */
	cr_assert_not(schedule_next(s, 200000 * MS, 10500, false, &due));
	cr_assert(schedule_next(s, 200500 * MS, 11000, false, &due));
	cr_assert_eq(named, 11);
	schedule_free(&s);
}

/* A stream of a low rate may have no packet early in a second. */
Test(schedule, a_clock_keeps_its_interval_without_packets_early_in_a_second)
{
	struct schedule *s = schedule_new();
	struct schedule_due due;
	int64_t named = 0, last = 0;

	cr_assert(schedule_set_clock(s, &tdt, 30000, clock_section, &named));
	cr_assert(schedule_next(s, 100020 * MS, 100020, false, &due));
	last = named;
	for (uint64_t ms = 100220; ms < 300000; ms += 250)
		while (schedule_next(s, ms * MS, ms, false, &due)) {
			cr_assert_eq(named, (int64_t)(ms / 1000));
			cr_assert_eq(named - last, 29);
			last = named;
		}
	cr_assert_gt(last, 270);
	/* behind a silence there may be such packets: it waits for them */
	for (uint64_t ms = 400220; ms < 429000; ms += 250)
		cr_assert_not(schedule_next(s, ms * MS, ms, false, &due));
	cr_assert(schedule_next(s, 429220 * MS, 429220, false, &due));
	cr_assert_eq(named, 429);
	schedule_free(&s);
}

Test(schedule, a_clock_begins_without_packets_early_in_a_second)
{
	struct schedule *s = schedule_new();
	struct schedule_due due;
	int64_t named = 0;

	cr_assert(schedule_set_clock(s, &tdt, 30000, clock_section, &named));
	for (uint64_t ms = 100220; ms < 131000; ms += 250)
		(void)schedule_next(s, ms * MS, ms, false, &due);
	cr_assert_eq(named, 129);
	schedule_free(&s);
}

/* The times of three clocks while the clock of the system, step ms behind at
 * 110 s, has packets at this part of each second. */
static void expect_times_behind_a_step(int64_t step, unsigned phase_ms)
{
	struct schedule *s = schedule_new();
	struct schedule_due due;
	int64_t named = 0;
	uint64_t last = 0;
	unsigned n = 0;

	cr_assert(schedule_set_clock(s, &tdt, 30000, clock_section, &named));
	for (uint64_t ms = 100000 + phase_ms; ms < 200000; ms += 1000) {
		uint64_t unix_ms = (uint64_t)(1000000 + (int64_t)ms -
					      (ms > 110000 ? step : 0));

		if (!schedule_next(s, ms * MS, unix_ms, false, &due))
			continue;
		cr_expect_eq(named, (int64_t)(unix_ms / 1000));
		cr_expect(last == 0 || ms - last <= 30000, "%lld %u: %llu",
			  (long long)step, phase_ms,
			  (unsigned long long)(ms - last));
		last = ms;
		n++;
	}
	cr_expect_geq(n, 3);
	schedule_free(&s);
}

Test(schedule, a_clock_of_the_system_that_is_set_keeps_the_interval)
{
	static const int64_t steps[] = { 5000, 3600000, -5000, -3600000 };

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		/* early in the second, and later */
		expect_times_behind_a_step(steps[i], 20);
		expect_times_behind_a_step(steps[i], 220);
	}
}

/* EN 300 468 annex C: 1993-10-13 12:45:00 is 0xc079124500. */
Test(time_build, writes_the_example_of_the_standard)
{
	static const uint8_t expected[TDT_LEN] = { 0x70, 0x70, 5, 0xc0, 0x79,
						   0x12, 0x45, 0x00 };
	uint8_t got[TDT_LEN];

	tdt_build(750516300, got);
	cr_assert_arr_eq(got, expected, TDT_LEN);
}

Test(time_build, writes_the_offset_of_a_country)
{
	static const uint8_t expected[] = {
		0x73, 0x70, 26, 0xc0, 0x79, 0x12, 0x45, 0x00, 0xf0, 15,
		0x58, 13, 'D', 'E', 'U', 0x02, 0x01, 0x00,
		/* 1994-03-27 01:00:00 */
		0xc1, 0x1e, 0x01, 0x00, 0x00, 0x02, 0x00,
	};
	uint8_t got[TOT_LEN];
	struct tot_zone z = { "DEU", 60, 764730000, 120 };

	tot_build(750516300, &z, got);
	cr_assert_arr_eq(got, expected, sizeof expected);
	/* negative, and with minutes */
	z = (struct tot_zone){ "CAN", -210, 764730000, -150 };
	tot_build(750516300, &z, got);
	cr_expect_eq(got[15], 0x03);
	cr_expect_eq(got[16], 0x03);
	cr_expect_eq(got[17], 0x30);
}

/* --- EIT --- */

static const struct schedule_key present = { 0x12, 0x4e, 1, 0 };
static const struct schedule_key first_days = { 0x12, 0x50, 1, 0 };
static const struct schedule_key later = { 0x12, 0x50, 1, 1 };

enum { LONG = 1800 /* ten packets */ };

static void set_eit(struct schedule *s, const struct schedule_key *key,
		    unsigned interval_ms, enum schedule_class class,
		    const uint8_t *data, size_t n)
{
	const struct schedule_terms terms = { interval_ms, class };
	struct schedule_section list[16];

	for (size_t i = 0; i < n; i++)
		list[i] = (struct schedule_section){ data + i * LONG, LONG };
	cr_assert(schedule_set_terms(s, key, &terms, list, n));
}

Test(schedule, parts_of_a_table_have_their_intervals_and_keep_its_distance)
{
	struct schedule *s = schedule_new();
	uint8_t *data = calloc(3, LONG);
	static uint64_t at[4096];
	static uint8_t what[4096];
	uint64_t last[3] = { 0 };
	size_t n;

	data[0] = 0, data[LONG] = 1, data[2 * LONG] = 2;
	set_eit(s, &first_days, 500, SCHEDULE_GUIDE, data, 2);
	set_eit(s, &later, 2000, SCHEDULE_GUIDE, data + 2 * LONG, 1);
	n = run(s, 20, at, what, 4096);
	cr_assert_gt(n, 80);
	for (size_t i = 0; i < n; i++) {
		cr_assert(i == 0 || at[i] - at[i - 1] >= SCHEDULE_GAP_MS);
		if (last[what[i]] > 0)
			cr_assert_leq(at[i] - last[what[i]],
				      what[i] == 2 ? 2000 : 500);
		last[what[i]] = at[i];
	}
	schedule_free(&s);
	free(data);
}

/* Events of the present keep their time; the cycle of the schedule grows. */
Test(schedule, a_small_rate_of_eit_slows_the_schedule_alone)
{
	struct schedule *s = schedule_new();
	uint8_t *data = calloc(11, LONG);
	static uint64_t at[4096];
	static uint8_t what[4096];
	uint64_t bits = 0, now = 0, most = 0;
	size_t n, guide = 0;

	data[10 * LONG] = 1;
	set_eit(s, &first_days, 1000, SCHEDULE_GUIDE, data, 10);
	set_eit(s, &present, 1000, SCHEDULE_PRESENT, data + 10 * LONG, 1);
	/* ten times ten packets in a second, and ten packets in 0.9 s */
	cr_expect_eq(schedule_eit_need(s), 168);
	schedule_set_eit_rate(s, 60);
	n = run(s, 60, at, what, 4096);
	for (size_t i = 0; i < n; i++) {
		bits += 10 * 188 * 8;
		guide += what[i] == 0;
		if (what[i] == 0)
			continue;
		most = MAX(most, at[i] - now);
		now = at[i];
	}
	cr_expect_leq(most, 1000);
	cr_expect_geq(bits, 60 * 60000 * 95 / 100);
	cr_expect_leq(bits, 60 * 60000 * 105 / 100);
	cr_expect_gt(guide, 100);
	schedule_free(&s);
	free(data);
}

Test(schedule, a_refused_table_takes_no_place)
{
	struct schedule *s = schedule_new();
	struct schedule_section list[SCHEDULE_SECTIONS_MAX + 1];
	const uint8_t a = 1;
	struct schedule_key key = nit;
	struct schedule_due due;

	for (size_t i = 0; i <= SCHEDULE_SECTIONS_MAX; i++)
		list[i] = (struct schedule_section){ &a, 1 };
	for (unsigned i = 0; i < SCHEDULE_TABLES_MAX; i++) {
		key.part = (uint16_t)i;
		cr_assert_not(schedule_set(s, &key, 1000, list,
					   SCHEDULE_SECTIONS_MAX + 1));
	}
	cr_assert(schedule_set(s, &sdt, 1000, list, 1));
	cr_assert(schedule_next(s, 1000 * MS, 0, false, &due));
	/* a table in place stays as it was */
	cr_assert_not(schedule_set(s, &sdt, 1000, list,
				   SCHEDULE_SECTIONS_MAX + 1));
	cr_assert(schedule_next(s, 2000 * MS, 0, false, &due));
	schedule_free(&s);
}

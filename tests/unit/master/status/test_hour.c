/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/status/hour.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { NOW = 1795171200 };

static void add(struct hour *h, int64_t time_s, unsigned kbps)
{
	hour_add(h, time_s, &(struct hour_sample){
		.bitrate_kbps = kbps, .cc_error = 70000, .input = 2,
		.onair = true });
}

static void expect(const struct hour *h, int64_t since_s, int64_t first,
		   const char *bitrates)
{
	json_t *report = hour_report(h, since_s, NOW - 1);
	json_t *columns = json_object_get(report, "columns");
	char *text = json_dumps(json_object_get(columns, "bitrate"),
				JSON_COMPACT);

	cr_expect_str_eq(text, bitrates);
	cr_expect_eq(json_integer_value(json_object_get(report, "first")),
		     first);
	free(text);
	json_decref(report);
}

Test(hour, has_the_seconds_in_order_with_unknown_ones)
{
	struct hour *h = hour_new();
	json_t *report;
	char *text;

	expect(h, 0, NOW - 1, "[]");
	expect(h, INT64_MAX, NOW - 1, "[]");
	add(h, NOW, 1);
	add(h, NOW + 1, 2);
	hour_amend(h, &(struct hour_sample){ .bitrate_kbps = 3 });
	add(h, NOW + 4, 4);
	expect(h, 0, NOW, "[1,3,null,null,4]");
	expect(h, NOW + 3, NOW + 4, "[4]");
	expect(h, NOW + 4, NOW + 5, "[]");
	expect(h, INT64_MAX, NOW + 5, "[]");
	report = hour_report(h, NOW + 3, NOW);
	text = json_dumps(json_object_get(report, "columns"), JSON_COMPACT);
	cr_expect_str_eq(text, "{\"bitrate\":[4],\"cc_error\":[65535],"
			 "\"pes_error\":[0],\"scrambled\":[false],"
			 "\"onair\":[true],\"input\":[2]}");
	free(text);
	json_decref(report);
	hour_free(&h);
}

Test(hour, forgets_what_is_older)
{
	struct hour *h = hour_new();
	json_t *report, *list;

	for (unsigned i = 0; i < 2 * HOUR_SECONDS + 5; i++)
		add(h, NOW + i, i);
	report = hour_report(h, 0, NOW);
	list = json_object_get(json_object_get(report, "columns"), "bitrate");
	cr_expect_eq(json_array_size(list), (size_t)HOUR_SECONDS);
	for (size_t i = 0; i < HOUR_SECONDS; i++)
		cr_assert_eq(json_integer_value(json_array_get(list, i)),
			     (json_int_t)(HOUR_SECONDS + 5 + i));
	json_decref(report);
	cr_expect_leq(hour_memory(h), 37000u);
	/* a gap within the hour */
	add(h, NOW + 2 * HOUR_SECONDS + 4 + 3000, 7);
	report = hour_report(h, NOW + 2 * HOUR_SECONDS + 4, NOW);
	list = json_object_get(json_object_get(report, "columns"), "bitrate");
	cr_expect_eq(json_array_size(list), 3000u);
	for (size_t i = 0; i < 2999; i++)
		cr_assert(json_is_null(json_array_get(list, i)));
	json_decref(report);
	hour_free(&h);
}

Test(hour, has_no_gap_where_reports_come_early_or_late)
{
	struct hour *h = hour_new();
	json_t *report;

	add(h, NOW, 1);
	add(h, NOW, 2);
	add(h, NOW + 2, 3);
	add(h, NOW + 4, 4);
	expect(h, 0, NOW, "[1,2,3,4]");
	/* no sample is lost, however many come */
	hour_amend(h, &(struct hour_sample){ .pes_error = 3 });
	hour_add(h, NOW + 2, &(struct hour_sample){ .pes_error = 4 });
	report = hour_report(h, NOW + 2, NOW);
	cr_expect_eq(json_integer_value(json_array_get(json_object_get(
		json_object_get(report, "columns"), "pes_error"), 0)), 7);
	json_decref(report);
	hour_free(&h);
}

Test(hour, begins_again_after_a_long_gap_and_a_clock_that_was_set_back)
{
	struct hour *h = hour_new();

	add(h, NOW, 1);
	add(h, NOW + HOUR_SECONDS, 2);
	expect(h, 0, NOW + HOUR_SECONDS, "[2]");
	add(h, NOW + 10, 3);
	expect(h, 0, NOW + 10, "[3]");
	add(h, NOW + 11, 4);
	expect(h, 0, NOW + 10, "[3,4]");
	hour_free(&h);
}

static void pass_on(const struct hour *from, struct hour *to)
{
	size_t size = hour_size(from);
	uint8_t *bytes = malloc(size);
	json_t *record = hour_write(from, bytes);

	cr_expect_eq(hour_size_of(record), size);
	hour_take(to, record, bytes);
	json_decref(record);
	free(bytes);
}

Test(hour, continues_with_the_next_master)
{
	struct hour *old = hour_new(), *new = hour_new();

	add(old, NOW, 1);
	add(old, NOW + 400, 2);
	pass_on(old, new);
	add(new, NOW + 403, 3);
	expect(new, NOW + 398, NOW + 399, "[null,2,null,null,3]");
	cr_expect_eq(hour_memory(new), hour_memory(old));
	/* what it has itself is newer */
	pass_on(old, new);
	expect(new, NOW + 399, NOW + 400, "[2,null,null,3]");
	hour_free(&old);
	hour_free(&new);
}

Test(hour, takes_no_damaged_record)
{
	static const char *const records[] = {
		"null", "{}", "[]",
		"{\"last\": 0, \"seconds\": 1, \"chunks\": 1}",
		"{\"last\": 9223372036854775807, \"seconds\": 1, "
		"\"chunks\": 4095}",
		"{\"last\": 3600, \"seconds\": 0, \"chunks\": 1}",
		"{\"last\": 3600, \"seconds\": 3601, \"chunks\": 1}",
		"{\"last\": 3600, \"seconds\": 1, \"chunks\": 0}",
		"{\"last\": 3600, \"seconds\": 1, \"chunks\": 4097}",
		/* the last second is in another part of the hour */
		"{\"last\": 3600, \"seconds\": 1, \"chunks\": 2}",
	};
	struct hour *h = hour_new();

	for (size_t i = 0; i < ARRAY_LEN(records); i++) {
		json_t *record = json_loads(records[i], JSON_DECODE_ANY, NULL);

		cr_assert_not_null(record, "%zu", i);
		cr_expect_eq(hour_size_of(record), 0u, "%zu", i);
		hour_take(h, record, NULL);
		json_decref(record);
	}
	expect(h, 0, NOW - 1, "[]");
	hour_free(&h);
}

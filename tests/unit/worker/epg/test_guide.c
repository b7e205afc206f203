/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide.h"

#include "common/base/alloc.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2019-01-22 12:00 UTC; hour(n) is n hours later. */
enum { NOON_S = 1548158400, HOUR_S = 3600 };

static const uint16_t numbers[] = { 7, 8 };

struct programme {
	uint16_t id;
	unsigned hour;     /* of the day; 0xff: undefined */
	unsigned minutes;
	const char *title; /* at most 9 bytes */
	const char *details; /* NULL: none */
};

struct source {
	uint8_t table_id;
	uint8_t version;
	uint16_t service;
};

static const struct source following = { .table_id = 0x4e, .service = 7 };

static uint8_t bcd(unsigned n)
{
	return (uint8_t)(n / 10 << 4 | n % 10);
}

static size_t put_event(uint8_t *p, const struct programme *e)
{
	size_t title = strlen(e->title), n = 12;
	size_t details = e->details != NULL ? strlen(e->details) : 0;

	p[0] = (uint8_t)(e->id >> 8);
	p[1] = (uint8_t)e->id;
	p[2] = 0xe4;
	p[3] = 0x89;
	p[4] = e->hour == 0xff ? 0xff : bcd(e->hour);
	p[5] = p[6] = p[9] = 0;
	p[7] = bcd(e->minutes / 60);
	p[8] = bcd(e->minutes % 60);
	n += (size_t)sprintf((char *)p + n, "\x4d%c" "eng%c%s",
			     (int)(title + 5), (int)title, e->title);
	p[n++] = 0; /* no summary */
	if (details > 0) {
		const uint8_t head[] = { 0x4e, (uint8_t)(details + 6), 0,
					 'e', 'n', 'g', 0, (uint8_t)details };

		memcpy(p + n, head, sizeof head);
		memcpy(p + n + sizeof head, e->details, details);
		n += sizeof head + details;
	}
	p[10] = (uint8_t)((n - 12) >> 8);
	p[11] = (uint8_t)(n - 12);
	return n;
}

static bool take_from(struct guide *g, struct source from,
		      const struct programme *list, size_t n)
{
	uint8_t body[1024] = { 0, 4, 0x20, 0xfa, 1, from.table_id };
	uint8_t section[SECTION_MAX];
	size_t len = 6;

	for (size_t i = 0; i < n; i++)
		len += put_event(body + len, &list[i]);
	len = build_table(section, &(struct build_table){
		.table_id = from.table_id, .extension = from.service,
		.version = from.version, .body = body, .len = len });
	return guide_take_section(g, "a", section, len, NOON_S);
}

static bool take(struct guide *g, const struct programme *list, size_t n)
{
	return take_from(g, following, list, n);
}

static struct guide *open_guide(void)
{
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 3, .days = 7, .bytes = 1 << 20 });

	guide_set_programs(g, "a", numbers, 2);
	return g;
}

/* The first service of the stream "a" within these hours after noon. */
static json_t *read_hours(const struct guide *g, int from, int to)
{
	json_t *all = guide_read(g, "a", &(struct guide_span){
		.from_s = NOON_S + from * HOUR_S,
		.to_s = NOON_S + to * HOUR_S, .now_s = NOON_S, .max = 100 });
	json_t *first = json_incref(json_array_get(
		json_object_get(all, "services"), 0));

	json_decref(all);
	return first;
}

static const char *title_of(const json_t *event)
{
	const char *title = json_string_value(json_object_get(
		json_array_get(json_object_get(event, "texts"), 0), "title"));

	return title != NULL ? title : "";
}

/* Titles of the events, each followed by a comma. */
static void expect(const struct guide *g, const char *titles)
{
	json_t *service = read_hours(g, -12, 12), *event;
	char text[200] = "";
	size_t i;

	json_array_foreach(json_object_get(service, "events"), i, event) {
		(void)strcat(text, title_of(event));
		(void)strcat(text, ",");
	}
	cr_expect_str_eq(text, titles);
	json_decref(service);
}

Test(guide, now_and_next_and_the_events_of_a_span)
{
	static const struct programme list[] = {
		{ 1, 11, 120, "one", NULL }, { 2, 13, 60, "two", NULL },
		{ 3, 15, 30, "three", NULL },
	};
	struct guide *g = open_guide();
	json_t *service;

	cr_assert(take(g, list, 3));
	expect(g, "one,two,three,");
	service = read_hours(g, 1, 3);
	cr_expect_str_eq(title_of(json_object_get(service, "now")), "one");
	cr_expect_str_eq(title_of(json_object_get(service, "next")), "two");
	cr_expect_eq(json_array_size(json_object_get(service, "events")), 1);
	json_decref(service);
	cr_expect_null(guide_read(g, "b", &(struct guide_span){ 0 }));
	guide_free(&g);
}

Test(guide, a_repeated_section_changes_nothing)
{
	static const struct programme one = { 1, 11, 120, "one", NULL };
	struct guide *g = open_guide();
	struct source again = following;

	cr_expect(take(g, &one, 1));
	cr_expect_not(take(g, &one, 1));
	again.version = 1;
	cr_expect_not(take_from(g, again, &one, 1));
	cr_expect_eq(guide_count(g).events, 1);
	guide_free(&g);
}

Test(guide, an_event_replaces_its_former_time_and_what_it_overlaps)
{
	static const struct programme list[] = {
		{ 1, 12, 60, "one", NULL }, { 2, 13, 60, "two", NULL },
		{ 3, 14, 60, "three", NULL },
	}, moved = { 1, 13, 90, "late", NULL };
	struct guide *g = open_guide();

	(void)take(g, list, 3);
	cr_expect(take(g, &moved, 1));
	expect(g, "late,");
	cr_expect_eq(guide_count(g).replaced, 2);
	cr_expect_eq(guide_count(g).events, 1);
	guide_free(&g);
}

Test(guide, the_present_event_keeps_the_details_of_the_schedule)
{
	static const struct programme full = { 1, 12, 60, "one", "details" };
	static const struct programme lean = { 1, 12, 75, "one", NULL };
	static const struct source schedule = { .table_id = 0x50,
						.service = 7 };
	struct guide *g = open_guide();
	json_t *service, *event;

	(void)take_from(g, schedule, &full, 1);
	cr_expect(take(g, &lean, 1));
	service = read_hours(g, 0, 1);
	event = json_array_get(json_object_get(service, "events"), 0);
	cr_expect_eq(json_integer_value(json_object_get(event, "stop")),
		     NOON_S + 75 * 60);
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(
		json_object_get(event, "texts"), 0), "details")), "details");
	json_decref(service);
	guide_free(&g);
}

Test(guide, events_of_programs_that_the_pat_lacks_are_not_kept)
{
	static const struct programme one = { 1, 12, 60, "one", NULL };
	static const struct source other = { .table_id = 0x4e, .service = 9 };
	static const struct source elsewhere = { .table_id = 0x4f,
						 .service = 7 };
	struct guide *g = open_guide();

	cr_expect_not(take_from(g, other, &one, 1));
	cr_expect_not(take_from(g, elsewhere, &one, 1));
	cr_expect(take(g, &one, 1));
	guide_set_programs(g, "a", numbers + 1, 1);
	cr_expect_eq(guide_count(g).events, 0);
	cr_expect_eq(guide_count(g).services, 1);
	cr_expect_eq(guide_count(g).bytes, 0);
	guide_free(&g);
}

Test(guide, services_days_and_bytes_are_bounded)
{
	static const uint16_t many[] = { 1, 2, 3, 4, 5 };
	static const struct programme list[] = {
		{ 1, 12, 60, "one", NULL }, { 2, 13, 60, "two", NULL },
	};
	struct guide *g = open_guide();

	guide_set_programs(g, "b", many, 5);
	cr_expect_eq(guide_count(g).services, 3);
	guide_free(&g);
	g = guide_new(&(struct guide_limits){ 3, 7, 1100 + sizeof(void *) });
	guide_set_programs(g, "a", numbers, 2);
	cr_expect(take(g, list, 2));
	cr_expect_eq(guide_count(g).events, 1);
	cr_expect_eq(guide_count(g).dropped, 1);
	cr_expect_leq(guide_count(g).bytes, 1108);
	guide_free(&g);
	g = guide_new(&(struct guide_limits){ 3, 0, 1 << 20 });
	guide_set_programs(g, "a", numbers, 2);
	cr_expect_not(take(g, list, 2));
	cr_expect_eq(guide_count(g).dropped, 2);
	guide_free(&g);
}

Test(guide, the_past_is_removed_and_a_time_is_needed)
{
	static const struct programme list[] = {
		{ 1, 5, 30, "past", NULL }, { 2, 0xff, 60, "never", NULL },
		{ 3, 10, 60, "soon", NULL }, { 4, 12, 60, "one", NULL },
	};
	struct guide *g = open_guide();

	(void)take(g, list, 4);
	expect(g, "soon,one,");
	cr_expect_eq(guide_count(g).undefined, 1);
	guide_expire(g, NOON_S + 2 * HOUR_S);
	expect(g, "one,");
	guide_free(&g);
}

Test(guide, a_saved_guide_is_the_same_again)
{
	static const struct programme list[] = {
		{ 1, 12, 60, "one", "details" }, { 2, 13, 60, "two", NULL },
	};
	struct guide *g = open_guide(), *copy = open_guide();
	json_t *saved, *again;

	(void)take(g, list, 2);
	saved = guide_save(g);
	guide_load(copy, saved, NOON_S);
	again = guide_save(copy);
	cr_expect(json_equal(saved, again));
	json_decref(saved);
	json_decref(again);
	guide_free(&g);
	guide_free(&copy);
}

Test(guide, a_damaged_saved_guide_gives_what_is_sound)
{
	static const char text[] =
		"{\"streams\": {\"a\": 3, \"b\": {\"services\": [7, {}, {"
		"\"pnr\": 1, \"events\": [1, {}, {\"event_id\": 1, "
		"\"start\": 1548158400, \"stop\": 1548158400, "
		"\"running_status\": 0}, {\"event_id\": 1, \"start\": "
		"1548158400, \"stop\": 1548158460, \"running_status\": 0, "
		"\"texts\": [{\"lang\": \"toolong\", \"title\": 3}, 1, 2, 3, "
		"4, 5]}]}]}}}";
	struct guide *g = open_guide();
	json_t *saved = json_loads(text, 0, NULL);

	cr_assert_not_null(saved);
	guide_load(g, saved, NOON_S);
	guide_load(g, NULL, NOON_S);
	cr_expect_eq(guide_count(g).events, 1);
	json_decref(saved);
	guide_free(&g);
}

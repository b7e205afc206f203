/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide.h"

#include "common/base/alloc.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/epg/guide_event.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2019-01-22 12:00 UTC; hour(n) is n hours later. */
enum {
	NOON_S = 1548158400,
	HOUR_S = 3600,
	/* the sections of a table and one event */
	FULL = 1024 + 150,
};

static const uint16_t numbers[] = { 7, 8 };

struct programme {
	uint16_t id;
	unsigned hour;     /* since midnight; 0xff: undefined */
	unsigned minutes;
	const char *title; /* at most 9 bytes */
	const char *details; /* NULL: none */
};

struct source {
	uint8_t table_id;
	uint8_t version;
	uint16_t service;
	uint8_t number, last;
};

static const struct source schedule = { .table_id = 0x50, .service = 7 };

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
	p[3] = e->hour == 0xff ? 0x89 : (uint8_t)(0x89 + e->hour / 24);
	p[4] = e->hour == 0xff ? 0xff : bcd(e->hour % 24);
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

static bool take_at(struct guide *g, struct source from,
		    const struct programme *list, size_t n, int64_t now_s)
{
	uint8_t body[1024] = { 0, 4, 0x20, 0xfa, from.last, from.table_id };
	uint8_t section[SECTION_MAX];
	size_t len = 6;

	for (size_t i = 0; i < n; i++)
		len += put_event(body + len, &list[i]);
	len = build_table(section, &(struct build_table){
		.table_id = from.table_id, .extension = from.service,
		.version = from.version, .number = from.number,
		.last = from.last, .body = body, .len = len });
	return guide_take_section(g, "a", section, len, now_s);
}

static bool take_from(struct guide *g, struct source from,
		      const struct programme *list, size_t n)
{
	return take_at(g, from, list, n, NOON_S);
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
		.to_s = NOON_S + to * HOUR_S, .now_s = NOON_S, .max = 100,
		.bytes = 1 << 20 });
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

Test(guide, the_schedule_shortens_its_texts)
{
	static const struct programme full = { 1, 14, 60, "one", "details" };
	static const struct programme lean = { 1, 14, 60, "one", "short" };
	struct guide *g = open_guide();
	struct source next = schedule;
	json_t *service, *event;

	next.version = 1;
	(void)take_from(g, schedule, &full, 1);
	cr_expect(take_from(g, next, &lean, 1));
	service = read_hours(g, 0, 3);
	event = json_array_get(json_object_get(service, "events"), 0);
	cr_expect_str_eq(json_string_value(json_object_get(json_array_get(
		json_object_get(event, "texts"), 0), "details")), "short");
	json_decref(service);
	/* the guide keeps the longer text of present and following */
	cr_expect(take(g, &full, 1));
	next.version = 2;
	cr_expect(take_from(g, next, &lean, 1));
	cr_expect(take(g, &full, 1));
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
	g = guide_new(&(struct guide_limits){ 3, 7, FULL, false });
	guide_set_programs(g, "a", numbers, 2);
	cr_expect(take(g, list, 2));
	cr_expect_eq(guide_count(g).events, 1);
	cr_expect_eq(guide_count(g).dropped, 1);
	cr_expect_leq(guide_count(g).bytes, FULL);
	guide_free(&g);
	g = guide_new(&(struct guide_limits){ 3, 0, 1 << 20, false });
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

Test(guide, an_event_at_a_full_limit_is_updated)
{
	static const struct programme one = { 1, 12, 60, "one", NULL };
	static const struct programme same = { 1, 12, 60, "two", NULL };
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 3, .days = 7, .bytes = FULL });
	struct source next = following;

	next.version = 1;
	guide_set_programs(g, "a", numbers, 1);
	(void)take(g, &one, 1);
	cr_expect(take_from(g, next, &same, 1));
	expect(g, "two,");
	cr_expect_eq(guide_count(g).dropped, 0);
	guide_free(&g);
}

Test(guide, a_section_beyond_a_limit_is_read_again_later_only)
{
	static const struct programme one = { 1, 13, 60, "one", NULL };
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 3, .days = 1, .bytes = 1 << 20 });
	int64_t early_s = NOON_S - 24 * HOUR_S;

	guide_set_programs(g, "a", numbers, 1);
	cr_expect_not(take_at(g, following, &one, 1, early_s));
	cr_expect_not(take_at(g, following, &one, 1, early_s + 61));
	cr_expect_eq(guide_count(g).dropped, 1, "it was read twice");
	cr_expect(take_at(g, following, &one, 1, early_s + HOUR_S + 1));
	cr_expect_eq(guide_count(g).events, 1);
	guide_free(&g);
}

Test(guide, an_event_that_a_new_version_lacks_goes)
{
	static const struct programme list[] = {
		{ 1, 11, 120, "now", NULL }, { 2, 15, 60, "two", NULL },
		{ 3, 16, 30, "three", NULL },
	}, other = { 4, 17, 30, "four", NULL };
	struct guide *g = open_guide();
	struct source first = schedule, second = schedule;

	/* the segment from 15:00 */
	first.number = 40;
	first.last = second.last = second.number = 41;
	(void)take_from(g, first, list, 3);
	(void)take_from(g, second, &other, 1);
	expect(g, "now,two,three,four,");
	/* present and following events are not all events */
	(void)take(g, list, 1);
	expect(g, "now,two,three,four,");
	/* the present event stays */
	first.version = 1;
	cr_expect(take_from(g, first, list + 2, 1));
	expect(g, "now,three,four,");
	/* the second section goes with its events */
	first.version = 2;
	first.last = 40;
	cr_expect(take_from(g, first, list + 2, 1));
	expect(g, "now,three,");
	guide_free(&g);
}

/* From midnight UTC on, sections count from the new day. */
Test(guide, midnight_leaves_the_events_whose_sections_have_moved)
{
	static const struct programme early = { 1, 27, 60, "early", NULL };
	static const struct programme late = { 2, 51, 60, "late", NULL };
	static const struct programme later = { 3, 75, 60, "later", NULL };
	static const int64_t midnight_s = NOON_S + 12 * HOUR_S;
	struct source tomorrow = schedule, after = schedule, third = schedule;
	struct guide *g = open_guide();

	tomorrow.number = tomorrow.last = 72;
	after.number = after.last = 136;
	third.number = third.last = 200;
	(void)take_from(g, tomorrow, &early, 1);
	(void)take_from(g, after, &late, 1);
	(void)take_from(g, third, &later, 1);
	cr_expect_eq(guide_count(g).events, 3);
	/* the cycle goes on with the second day */
	tomorrow.version = after.version = 1;
	(void)take_at(g, tomorrow, &late, 1, midnight_s + 1);
	cr_expect_eq(guide_count(g).events, 3);
	(void)take_at(g, after, &later, 1, midnight_s + 2);
	cr_expect_eq(guide_count(g).events, 3);
	/* it goes if its section of the new day lacks it */
	after.version = 2;
	(void)take_at(g, after, NULL, 0, midnight_s + 3);
	cr_expect_eq(guide_count(g).events, 2);
	guide_free(&g);
}

Test(guide, what_an_event_replaced_returns_when_it_moves)
{
	static const struct programme old = { 1, 13, 60, "old", NULL };
	static const struct programme wide = { 2, 12, 120, "wide", NULL };
	static const struct programme brief = { 2, 12, 60, "wide", NULL };
	struct guide *g = open_guide();
	struct source next = following;

	next.version = 1;
	(void)take_from(g, schedule, &old, 1);
	(void)take(g, &wide, 1);
	expect(g, "wide,");
	cr_expect_not(take_from(g, schedule, &old, 1));
	(void)take_from(g, next, &brief, 1);
	cr_expect(take_from(g, schedule, &old, 1));
	expect(g, "wide,old,");
	guide_free(&g);
}

Test(guide, a_stream_is_renamed_removed_and_unknown)
{
	static const struct programme one = { 1, 12, 60, "one", NULL };
	static const struct guide_span all = { .to_s = INT64_MAX, .max = 1,
					       .bytes = 1 << 20 };
	struct guide *g = open_guide();
	json_t *moved;

	(void)take(g, &one, 1);
	/* the new id has a guide, which goes */
	guide_set_programs(g, "b", numbers, 1);
	guide_rename_stream(g, "a", "b");
	cr_expect_null(guide_read(g, "a", &all));
	moved = guide_read(g, "b", &all);
	cr_expect_not_null(moved);
	json_decref(moved);
	guide_know_stream(g, "b", "");
	guide_set_programs(g, "c", numbers, 1);
	guide_remove_unknown(g);
	cr_expect_eq(guide_count(g).services, 2);
	cr_expect_eq(guide_count(g).events, 1);
	guide_remove_stream(g, "b");
	cr_expect_eq(guide_count(g).services, 0);
	cr_expect_eq(guide_count(g).bytes, 0);
	guide_free(&g);
}

Test(guide, an_answer_has_bounds_and_one_service_if_wanted)
{
	static const struct programme list[] = {
		{ 1, 12, 60, "one", NULL }, { 2, 13, 60, "two", NULL },
		{ 3, 15, 30, "three", NULL },
	};
	struct guide_span span = { .to_s = INT64_MAX, .max = 100 };
	struct guide *g = open_guide();
	json_t *all, *first;
	size_t n = 0;

	(void)take(g, list, 3);
	for (span.bytes = 400; span.bytes < 2000; span.bytes += 50) {
		all = guide_read(g, "a", &span);
		first = json_array_get(json_object_get(all, "services"), 0);
		n = json_array_size(json_object_get(first, "events"));
		cr_expect_leq(json_dumpb(all, NULL, 0, JSON_COMPACT),
			      span.bytes);
		cr_expect_eq(json_is_true(json_object_get(first, "cut")),
			     n < 3);
		json_decref(all);
	}
	cr_expect_eq(n, 3);
	span.pnr = 8;
	all = guide_read(g, "a", &span);
	cr_expect_eq(json_array_size(json_object_get(all, "services")), 1);
	json_decref(all);
	guide_free(&g);
}

Test(guide, a_new_age_and_new_contents_replace_the_old_ones)
{
	static const struct eit_event from = { .id = 1, .start_s = NOON_S,
					       .duration_s = HOUR_S };
	struct eit_facts *f = xcalloc(1, sizeof *f);
	struct guide_event *old, *e;

	f->age = 6;
	f->n_contents = 1;
	f->contents[0] = 0x10;
	old = guide_event_new(&from, f);
	f->age = 12;
	f->contents[0] = 0x20;
	e = guide_event_with_text(guide_event_new(&from, f), old);
	cr_expect_eq(e->age, 12);
	cr_expect_eq(e->contents[0], 0x20);
	free(old);
	old = e;
	/* an event without them says nothing about them */
	f->age = 0;
	f->n_contents = 0;
	e = guide_event_with_text(guide_event_new(&from, f), old);
	cr_expect_eq(e->age, 12);
	cr_expect_eq(e->n_contents, 1);
	free(old);
	free(e);
	free(f);
}

/* The next saved event; NULL: there are no more. */
static json_t *save_next(struct guide *g)
{
	const char *stream;
	uint16_t number;
	const struct guide_event *e = guide_save_next(g, &stream, &number);

	return e == NULL ? NULL
		: json_pack("{s:s, s:i, s:o}", "stream", stream, "pnr",
			    (int)number, "event", guide_event_write(e));
}

Test(guide, a_saved_guide_is_the_same_again)
{
	static const struct programme list[] = {
		{ 1, 12, 60, "one", "details" }, { 2, 13, 60, "two", NULL },
	};
	struct guide *g = open_guide(), *copy = open_guide();
	json_t *event, *again;

	(void)take(g, list, 2);
	guide_save_begin(g);
	while ((event = save_next(g)) != NULL) {
		cr_expect(guide_load_event(copy, event, NOON_S));
		json_decref(event);
	}
	expect(copy, "one,two,");
	guide_save_begin(g);
	guide_save_begin(copy);
	while ((event = save_next(g)) != NULL) {
		again = save_next(copy);
		cr_expect(json_equal(event, again));
		json_decref(event);
		json_decref(again);
	}
	cr_expect_null(save_next(copy));
	guide_free(&g);
	guide_free(&copy);
}

Test(guide, a_guide_may_change_while_it_is_saved)
{
	static const struct programme list[] = {
		{ 1, 12, 60, "one", NULL }, { 2, 13, 60, "two", NULL },
	};
	struct guide *g = open_guide();
	json_t *event;

	(void)take(g, list, 2);
	guide_save_begin(g);
	event = save_next(g);
	cr_expect_str_eq(title_of(json_object_get(event, "event")), "one");
	json_decref(event);
	guide_set_programs(g, "a", numbers + 1, 1);
	guide_remove_stream(g, "a");
	cr_expect_null(save_next(g));
	guide_free(&g);
}

static void set_own(struct guide *g, bool all, uint16_t except)
{
	guide_set_own(g, "a", &(struct own_services){
		.all = all, .n_except = except != 0, .except = { except } });
}

Test(guide, own_eit_of_a_service_leaves_those_of_the_others)
{
	static const struct source other = { .table_id = 0x4e, .service = 8 };
	const struct programme one = { 1, 13, 60, "one", NULL };
	struct guide *g = open_guide();

	cr_assert(take(g, &one, 1));
	cr_assert(take_from(g, other, &one, 1));
	set_own(g, false, 7);
	cr_expect_eq(guide_count(g).events, 1);
	cr_expect_not(take(g, &one, 1));
	set_own(g, true, 7);
	cr_expect_eq(guide_count(g).events, 0);
	cr_expect(take(g, &one, 1));
	cr_expect_not(take_from(g, other, &one, 1));
	set_own(g, true, 0);
	cr_expect_eq(guide_count(g).events, 0);
	/* what passes is read from its begin */
	set_own(g, false, 0);
	cr_expect(take(g, &one, 1));
	guide_free(&g);
}

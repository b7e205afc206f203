/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_present.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOW_S = 1548158400, HOUR_S = 3600, TITLE = 8000 };

static const struct guide_limits limits = { .services = 8, .days = 7,
					    .bytes = 1 << 20 };
static char found[300]; /* what was found, in order */
static unsigned refused; /* so many calls more have no room */

/* hours: from NOW_S on; each event lasts an hour. */
static void load(struct guide *g, const char *stream, int id, int hours,
		 const char *title, const char *summary)
{
	json_t *event = json_pack("{s:s, s:i, s:{s:i, s:i, s:i, s:i, "
		"s:[{s:s, s:s, s:s, s:s}]}}", "stream", stream, "pnr", 7,
		"event", "event_id", id, "start", NOW_S + hours * HOUR_S,
		"stop", NOW_S + (hours + 1) * HOUR_S, "running_status", 0,
		"texts", "lang", "eng", "title", title, "summary", summary,
		"details", "long");

	cr_assert(guide_load_event(g, event, NOW_S));
	json_decref(event);
}

static const char *id_of(const json_t *events, const char *key, char text[16])
{
	const json_t *event = json_object_get(events, key);

	cr_expect(event == NULL || json_object_get(json_array_get(
		json_object_get(event, "texts"), 0), "details") == NULL);
	(void)snprintf(text, 16, "%d", (int)json_integer_value(
		json_object_get(event, "event_id")));
	return event != NULL ? text : "-";
}

static bool note(const char *stream, uint16_t number, const json_t *events,
		 void *arg)
{
	char now[16], next[16], *to = found + strlen(found);

	(void)arg;
	if (refused > 0) {
		refused--;
		return false;
	}
	(void)snprintf(to, sizeof found - strlen(found), "%s.%u %s %s,",
		       stream, number, id_of(events, "now", now),
		       id_of(events, "next", next));
	return true;
}

static const char *find(struct guide *g, int64_t now_s, size_t max)
{
	found[0] = '\0';
	guide_present_find(g, now_s, max, note, NULL);
	return found;
}

Test(guide_present, what_begins_and_what_is_new_is_found_once)
{
	struct guide *g = guide_new(&limits);

	load(g, "a", 1, -1, "one", "");
	load(g, "a", 2, 0, "two", "");
	load(g, "a", 3, 2, "three", "");
	guide_present_begin(g, NOW_S - 1);
	cr_expect_str_eq(find(g, NOW_S - 1, 9), "");
	cr_expect_str_eq(find(g, NOW_S, 9), "a.7 2 3,");
	cr_expect_str_eq(find(g, NOW_S, 9), "");
	/* a gap */
	cr_expect_str_eq(find(g, NOW_S + HOUR_S, 9), "a.7 - 3,");
	cr_expect_str_eq(find(g, NOW_S + 2 * HOUR_S, 9), "a.7 3 -,");
	cr_expect_str_eq(find(g, NOW_S + 3 * HOUR_S, 9), "a.7 - -,");
	/* a service that is new */
	load(g, "b", 4, 4, "four", "");
	cr_expect_str_eq(find(g, NOW_S + 3 * HOUR_S, 9), "b.7 - 4,");
	guide_free(&g);
}

Test(guide_present, a_call_is_bounded_and_the_next_one_continues)
{
	struct guide *g = guide_new(&limits);
	char first[sizeof found];

	for (int i = 0; i < 5; i++)
		load(g, (const char[]){ (char)('a' + i), '\0' }, 1, 0, "x",
		     "");
	memcpy(first, find(g, NOW_S, 3), sizeof first);
	cr_expect_eq(strlen(first), 3 * strlen("a.7 1 -,"));
	cr_expect_eq(strlen(find(g, NOW_S, 3)), 2 * strlen("a.7 1 -,"));
	cr_expect(strstr(first, found) == NULL);
	cr_expect_str_eq(find(g, NOW_S, 3), "");
	guide_free(&g);
}

static bool expect_title(const char *stream, uint16_t number,
			 const json_t *events, void *arg)
{
	const json_t *text = json_array_get(json_object_get(
		json_object_get(events, "now"), "texts"), 0);

	(void)stream, (void)number;
	cr_expect_not_null(json_object_get(text, "title"));
	cr_expect_null(json_object_get(text, "summary"));
	++*(unsigned *)arg;
	return true;
}

Test(guide_present, an_event_with_much_text_has_its_title_alone)
{
	struct guide *g = guide_new(&limits);
	char title[TITLE], summary[TITLE + 500];
	unsigned n = 0;

	memset(title, 'a', sizeof title);
	memset(summary, 'b', sizeof summary);
	title[sizeof title - 1] = summary[sizeof summary - 1] = '\0';
	load(g, "a", 1, 0, title, summary);
	guide_present_find(g, NOW_S, 9, expect_title, &n);
	cr_expect_eq(n, 1);
	guide_free(&g);
}

Test(guide_present, what_had_no_room_is_found_again)
{
	struct guide *g = guide_new(&limits);

	load(g, "a", 1, 0, "x", "");
	load(g, "b", 1, 0, "x", "");
	refused = 1;
	cr_expect_str_eq(find(g, NOW_S, 9), "", "the pass ends");
	cr_expect_eq(strlen(find(g, NOW_S, 9)), 2 * strlen("a.7 1 -,"));
	cr_expect_str_eq(find(g, NOW_S, 9), "");
	guide_free(&g);
}

static bool expect_short(const char *stream, uint16_t number,
			 const json_t *events, void *arg)
{
	const json_t *event = json_object_get(events, "now");
	const char *title = json_string_value(json_object_get(json_array_get(
		json_object_get(event, "texts"), 0), "title"));

	(void)stream, (void)number, (void)arg;
	cr_assert_not_null(title);
	cr_expect_leq(json_dumpb(event, NULL, 0, JSON_COMPACT), 16 * 1024);
	/* 2048 bytes end within a character */
	cr_expect_eq(strlen(title), 2047);
	return true;
}

Test(guide_present, a_title_that_has_no_room_is_cut)
{
	struct guide *g = guide_new(&limits);
	char title[TITLE] = "x";

	/* a byte of some takes six in JSON */
	for (size_t i = 1; i + 3 < sizeof title; i += 3)
		memcpy(title + i, "\xd0\x91\1", 4);
	load(g, "a", 1, 0, title, "");
	guide_present_find(g, NOW_S, 9, expect_short, NULL);
	guide_free(&g);
}

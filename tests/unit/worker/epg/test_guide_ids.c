/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event_ids of programmes that an import brings again. */
#include "common/base/alloc.h"
#include "worker/epg/guide_import.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOON_S = 1548158400 /* 2019-01-22 12:00 UTC */ };

/* Start and stop in minutes after noon; title NULL ends a list. */
struct programme {
	unsigned start, stop;
	const char *title;
};

static struct guide *open_guide(void)
{
	const uint16_t one = 7;
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 8, .days = 7, .bytes = 1 << 20, .imports = true });

	guide_know_stream(g, "a", "a.tv");
	guide_set_programs(g, "a", &one, 1);
	return g;
}

static void import(struct guide *g, const struct programme *list)
{
	struct guide_import *i = guide_import_new(g, NOON_S);
	struct eit_facts *facts = xcalloc(1, sizeof *facts);
	struct guide_import_counts counts;

	facts->n_texts = 1;
	for (; list->title != NULL; list++) {
		(void)snprintf(facts->texts[0].title, EIT_TEXT_SIZE, "%s",
			       list->title);
		cr_assert(guide_import_wants(i, "a.tv"));
		guide_import_add(i, "a.tv", &(struct xmltv_found){
			.start_s = NOON_S + 60 * list->start,
			.stop_s = NOON_S + 60 * list->stop,
			.has_stop = true, .facts = facts });
	}
	free(facts);
	while (guide_import_commit(i, &counts))
		continue;
	guide_import_free(&i);
}

/* That of the event of this start and title; -1: none. */
static json_int_t id_at(struct guide *g, unsigned start, const char *title)
{
	json_t *o = guide_read(g, "a", &(struct guide_span){
		.from_s = NOON_S, .to_s = UINT32_MAX, .now_s = NOON_S,
		.max = 100, .bytes = 1 << 20 });
	json_t *list = json_object_get(json_array_get(
		json_object_get(o, "services"), 0), "events"), *e;
	json_int_t id = -1;
	size_t i;

	json_array_foreach(list, i, e) {
		const json_t *text = json_array_get(
			json_object_get(e, "texts"), 0);

		if (json_integer_value(json_object_get(e, "start")) ==
			    NOON_S + 60 * (json_int_t)start &&
		    strcmp(json_string_value(json_object_get(text, "title")),
			   title) == 0)
			id = json_integer_value(
				json_object_get(e, "event_id"));
	}
	json_decref(o);
	return id;
}

Test(guide_ids, a_programme_that_moves_keeps_its_id)
{
	static const struct programme before[] = {
		{ 0, 60, "Match" }, { 60, 120, "Film" }, { 120, 180, "Late" },
		{ 0, 0, NULL } };
	static const struct programme after[] = {
		{ 0, 60, "Match" }, { 60, 75, "News" }, { 75, 135, "Film" },
		{ 0, 0, NULL } };
	struct guide *g = open_guide();
	json_int_t match, film;

	import(g, before);
	match = id_at(g, 0, "Match");
	film = id_at(g, 60, "Film");
	cr_assert_neq(match, film);
	for (unsigned i = 0; i < 2; i++) {
		import(g, after);
		cr_expect_eq(id_at(g, 0, "Match"), match);
		cr_expect_eq(id_at(g, 75, "Film"), film);
		cr_expect_neq(id_at(g, 60, "News"), -1);
		cr_expect_neq(id_at(g, 60, "News"), film);
		cr_expect_neq(id_at(g, 60, "News"), match);
	}
	/* and back */
	import(g, before);
	cr_expect_eq(id_at(g, 60, "Film"), film);
	guide_free(&g);
}

Test(guide_ids, a_programme_that_is_longer_moves_the_next_one)
{
	static const struct programme before[] = {
		{ 0, 60, "Match" }, { 60, 120, "Film" }, { 0, 0, NULL } };
	static const struct programme after[] = {
		{ 0, 75, "Match" }, { 75, 135, "Film" }, { 0, 0, NULL } };
	static const struct programme renamed[] = {
		{ 0, 75, "Match" }, { 75, 135, "Other" }, { 0, 0, NULL } };
	struct guide *g = open_guide();
	json_int_t match, film;

	import(g, before);
	match = id_at(g, 0, "Match");
	film = id_at(g, 60, "Film");
	import(g, after);
	cr_expect_eq(id_at(g, 0, "Match"), match);
	cr_expect_eq(id_at(g, 75, "Film"), film);
	import(g, renamed);
	cr_expect_eq(id_at(g, 75, "Other"), film);
	guide_free(&g);
}

Test(guide_ids, a_repetition_is_another_event)
{
	static const struct programme before[] = {
		{ 0, 30, "News" }, { 30, 60, "A" }, { 60, 90, "News" },
		{ 90, 300, "B" }, { 0, 0, NULL } };
	static const struct programme after[] = {
		{ 0, 30, "News" }, { 30, 70, "A" }, { 70, 90, "News" },
		{ 90, 300, "B" }, { 0, 0, NULL } };
	static const struct programme late[] = {
		{ 300, 330, "News" }, { 330, 400, "A" }, { 0, 0, NULL } };
	struct guide *g = open_guide();
	json_int_t first, second;

	import(g, before);
	first = id_at(g, 0, "News");
	second = id_at(g, 60, "News");
	import(g, after);
	cr_expect_eq(id_at(g, 0, "News"), first);
	cr_expect_eq(id_at(g, 70, "News"), second);
	/* more than three hours away */
	import(g, late);
	cr_expect_neq(id_at(g, 300, "News"), first);
	cr_expect_neq(id_at(g, 300, "News"), second);
	guide_free(&g);
}

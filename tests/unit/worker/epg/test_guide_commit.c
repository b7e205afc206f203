/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programmes on their way into services: limits, turns and other channels. */
#include "worker/epg/guide_import.h"

#include "common/base/alloc.h"
#include "common/base/shared.h"
#include "worker/epg/guide_file.h"
#include "worker/epg/guide_state.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

enum { NOON_S = 1548158400 /* 2019-01-22 12:00 UTC */ };

/* With the streams "a" and "b" of the channel a.tv. */
static struct guide *open_guide(size_t bytes)
{
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 8, .days = 7, .bytes = bytes, .imports = true });

	guide_know_stream(g, "a", "a.tv");
	guide_know_stream(g, "b", "a.tv");
	return g;
}

/* n programmes of the channel, each of a second. */
static struct guide_import *import_of(struct guide *g, const char *channel,
				      unsigned n)
{
	struct guide_import *i = guide_import_new(g, NOON_S);
	struct eit_facts *facts = xcalloc(1, sizeof *facts);

	for (unsigned k = 0; k < n; k++) {
		cr_assert(guide_import_wants(i, channel));
		guide_import_add(i, channel, &(struct xmltv_found){
			.start_s = NOON_S + k, .stop_s = NOON_S + k + 1,
			.has_stop = true, .facts = facts });
	}
	free(facts);
	return i;
}

static struct guide_import_counts commit(struct guide_import *i)
{
	struct guide_import_counts counts;

	while (guide_import_commit(i, &counts))
		continue;
	guide_import_free(&i);
	return counts;
}

Test(guide_import, a_channel_has_as_many_programmes_as_a_service,
     .timeout = 20)
{
	enum { MANY = 70000 /* more than there are ids */ };
	struct guide *g = open_guide(64 << 20);
	struct guide_import_counts c = commit(import_of(g, "a.tv", MANY));

	cr_expect_eq(guide_count(g).events, 2 * GUIDE_EVENTS_MAX);
	cr_expect_eq(c.dropped, MANY - GUIDE_EVENTS_MAX);
	guide_free(&g);
}

Test(guide_import, an_import_takes_no_more_memory_than_the_guide)
{
	enum { LIMIT = 10000, PLACE = 48 };
	struct guide *g = guide_new(&(struct guide_limits){
		.services = 1, .days = 7, .bytes = LIMIT, .imports = true });
	struct guide_counts c;

	guide_know_stream(g, "a", "");
	(void)commit(import_of(g, "a", 500));
	c = guide_count(g);
	cr_expect_gt(c.events, 0);
	cr_expect_leq(c.bytes + c.events * PLACE, LIMIT);
	cr_expect_eq(c.events + c.dropped, 500);
	guide_free(&g);
}

Test(guide_import, what_is_dropped_is_not_imported)
{
	/* the events of both streams are more than those of the import */
	struct guide *g = open_guide(4000);
	struct guide_import_counts c = commit(import_of(g, "a.tv", 100));

	cr_expect_gt(c.dropped, 0);
	cr_expect_eq(c.programmes, guide_count(g).events);
	cr_expect_eq(c.dropped, guide_count(g).dropped);
	guide_free(&g);
}

Test(guide_import, a_turn_changes_one_service)
{
	struct guide *g = open_guide(1 << 20);
	struct guide_import *i = import_of(g, "a.tv", 1);
	struct guide_import_counts c;
	size_t had = 0;

	while (guide_import_commit(i, &c)) {
		cr_expect_leq(guide_count(g).events, had + 1);
		had = guide_count(g).events;
	}
	guide_import_free(&i);
	cr_expect_eq(had, 2);
	cr_expect(c.programmes == 2 && c.channels == 1 && c.changed == 2);
	/* one that ends too early */
	i = import_of(g, "a.tv", 9);
	for (int k = 0; k < 3; k++)
		cr_expect(guide_import_commit(i, &c));
	guide_import_free(&i);
	guide_free(&g);
}

static bool is_imported(const struct guide *g, const char *stream)
{
	const struct guide_stream *s = guide_find_stream(g, stream);

	cr_assert(s != NULL && s->n == 1);
	return guide_is_imported(s->services[0], NOON_S);
}

Test(guide_import, another_channel_waits_for_no_new_document)
{
	struct guide *g = open_guide(1 << 20);
	uint64_t had;

	guide_know_stream(g, "n", "");
	(void)commit(import_of(g, "a.tv", 9));
	(void)commit(import_of(g, "n", 9));
	had = guide_new_services(g);
	guide_know_stream(g, "a", "a.tv");
	guide_rename_stream(g, "a", "c");
	guide_know_stream(g, "c", "a.tv");
	cr_expect_eq(guide_new_services(g), had);
	cr_expect(is_imported(g, "c"));
	guide_know_stream(g, "c", "c.tv");
	cr_expect_eq(guide_new_services(g), had + 1);
	cr_expect_not(is_imported(g, "c"));
	cr_expect(is_imported(g, "b") && is_imported(g, "n"));
	/* its channel is its id */
	guide_rename_stream(g, "n", "o");
	cr_expect_eq(guide_new_services(g), had + 2);
	cr_expect_not(is_imported(g, "o"));
	/* a document that was read before may have it */
	guide_know_stream(g, "new", "");
	cr_expect_eq(guide_new_services(g), had + 3);
	guide_free(&g);
}

/* The first event that is saved. */
static bool first_is_imported(struct guide *g)
{
	const char *stream;
	uint16_t number;

	guide_save_begin(g);
	return guide_save_next(g, &stream, &number)->source == GUIDE_IMPORTED;
}

Test(guide_import, is_saved_as_imported_and_released_without_a_source)
{
	struct guide *g = open_guide(1 << 20);
	int fd = shared_create("test", 1 << 20);
	struct guide_saver *s;
	struct guide_loader *l;

	(void)commit(import_of(g, "a.tv", 1));
	s = guide_saver_new(dup(fd), g);
	cr_assert_eq(guide_saver_run(s), 0);
	guide_saver_free(&s);
	guide_free(&g);
	g = open_guide(1 << 20);
	l = guide_loader_new(fd, g);
	while (guide_loader_run(l, NOON_S))
		continue;
	guide_loader_free(&l);
	cr_assert(first_is_imported(g));
	guide_release_imported(g);
	cr_assert_not(first_is_imported(g));
	guide_free(&g);
}

Test(guide_import, own_eit_has_the_events_of_imports_as_long_as_there_is_one)
{
	const struct own_services own = { .all = true };
	struct guide *g = open_guide(1 << 20);

	guide_know_stream(g, "b", "other");
	guide_set_own(g, "a", &own);
	(void)commit(import_of(g, "a.tv", 3));
	guide_set_own(g, "a", &own);
	cr_expect_eq(guide_count(g).events, 3);
	guide_know_stream(g, "a", "other");
	cr_expect_eq(guide_count(g).events, 0);
	guide_free(&g);
}

/* Imported events of each of two services of the stream "m". */
static struct guide *open_services(unsigned limit, size_t *ret_events)
{
	static const uint16_t both[] = { 1, 2 };
	struct guide *g = guide_new(&(struct guide_limits){
		.services = limit, .days = 7, .bytes = 1 << 20,
		.imports = true });

	guide_know_stream(g, "m", "");
	guide_set_programs(g, "m", both, 2);
	(void)commit(import_of(g, "m.1", 3));
	(void)commit(import_of(g, "m.2", 4));
	*ret_events = guide_count(g).events;
	return g;
}

Test(guide_import, a_service_that_returns_to_the_pat_has_its_imported_events)
{
	static const uint16_t numbers[] = { 1, 2 };
	size_t events;
	struct guide *g = open_services(8, &events);
	const struct guide_stream *s = guide_find_stream(g, "m");
	uint64_t edits;

	cr_assert_eq(events, 7);
	guide_set_programs(g, "m", numbers, 1);
	cr_expect_eq(s->n, 1, "it is hidden");
	edits = g->edits;
	guide_expire(g, NOON_S - GUIDE_PAST_S);
	guide_expire(g, NOON_S - 1);
	guide_set_programs(g, "m", numbers, 2);
	cr_expect_eq(s->n, 2);
	cr_expect_eq(s->services[1]->n, 4);
	cr_expect_gt(g->edits, edits, "its events are news");
	guide_free(&g);
}

Test(guide_import, a_service_that_the_pat_lacks_is_freed_in_time)
{
	static const uint16_t numbers[] = { 1, 2 };
	size_t events;
	struct guide *g = open_services(8, &events);

	guide_set_programs(g, "m", numbers, 1);
	guide_expire(g, NOON_S - GUIDE_PAST_S);
	cr_expect_eq(guide_count(g).services, 2);
	guide_expire(g, NOON_S);
	cr_expect_eq(guide_count(g).services, 1);
	cr_expect_eq(guide_count(g).events, 3);
	guide_free(&g);
}

Test(guide_import, a_service_that_the_pat_lacks_leaves_its_place_to_others)
{
	static const uint16_t numbers[] = { 1, 7 };
	size_t events;
	struct guide *g = open_services(2, &events);

	guide_set_programs(g, "m", numbers, 1);
	cr_expect_eq(guide_count(g).services, 2);
	guide_set_programs(g, "m", numbers, 2);
	cr_expect_eq(guide_count(g).services, 2);
	cr_expect_eq(guide_count(g).events, 3);
	/* the stream goes with all that it has */
	guide_set_programs(g, "m", numbers + 1, 1);
	guide_remove_stream(g, "m");
	cr_expect_eq(guide_count(g).services, 0);
	cr_expect_eq(guide_count(g).bytes, 0);
	guide_free(&g);
}

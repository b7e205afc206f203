/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/link_graph.h"
#include "tests/unit/master/fakes.h"

#include <criterion/criterion.h>
#include <time.h>

/* Each stream reads the one before it. */
static json_t *make_chain(size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *input = i == 0 ? json_string("udp://239.1.1.1:1")
				       : json_sprintf("stream://s%zu", i - 1);

		(void)json_array_append_new(list, json_pack(
			"{s:o, s:[o]}", "id", json_sprintf("s%zu", i),
			"input", input));
	}
	return list;
}

/* Processor time of a walk from each stream of a chain to its begin, and beyond
 * it. */
static clock_t walk(size_t streams)
{
	json_t *list = make_chain(streams);
	clock_t begin = clock();
	struct link_graph g;
	char id[32];

	link_graph_init(&g, list, NULL);
	for (size_t i = 1; i < streams; i++) {
		(void)snprintf(id, sizeof id, "s%zu", i - 1);
		cr_assert(link_graph_leads(&g, id, "s0", NULL));
		cr_assert_not(link_graph_leads(&g, id, "none", NULL));
	}
	link_graph_done(&g);
	json_decref(list);
	return clock() - begin;
}

/* A step of a walk takes as long in a long chain as in a short one. */
Test(link_graph, a_long_chain_takes_little_time)
{
	enum { STREAMS = 64, LONGER = 8 };
	clock_t each = 0, whole;

	for (unsigned i = 0; i < LONGER * LONGER; i++)
		each += walk(STREAMS);
	whole = walk(STREAMS * LONGER);
	cr_expect_lt(whole, 3 * each, "%ld for %ld", (long)whole, (long)each);
}

Test(link_graph, of_entries_with_one_id_the_first_counts)
{
	json_t *streams = fakes_json(
		"[{'id':'a','input':['dvb://d']},"
		"{'id':'a','input':['stream://c']},{'input':[]},5]");
	json_t *adapters = fakes_json(
		"[{'id':'d','address':'stream://b'},"
		"{'id':'d','address':'stream://e'}]");
	struct link_graph g;

	link_graph_init(&g, streams, adapters);
	cr_expect(link_graph_leads(&g, "a", "b", NULL));
	cr_expect_not(link_graph_leads(&g, "a", "c", NULL));
	cr_expect_not(link_graph_leads(&g, "a", "e", NULL));
	link_graph_done(&g);
	json_decref(streams);
	json_decref(adapters);
}

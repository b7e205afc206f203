/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programmes on their way into services: limits, turns and other channels. */
#include "worker/epg/guide_import.h"

#include "common/base/alloc.h"
#include "worker/epg/guide_state.h"

#include <criterion/criterion.h>
#include <stdlib.h>

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
	struct guide_import_counts counts = guide_import_commit(i);

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

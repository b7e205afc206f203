/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A guide of many streams. */
#include "worker/epg/guide.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const uint16_t numbers[] = { 7 };

static bool has_guide(const struct guide *g, char letter, unsigned i)
{
	char id[16];
	json_t *all;

	(void)snprintf(id, sizeof id, "%c%u", letter, i);
	all = guide_read(g, id, &(struct guide_span){ .bytes = 1 << 20 });
	json_decref(all);
	return all != NULL;
}

Test(guide_streams, many_streams_are_found_by_their_ids)
{
	enum { STREAMS = 3000 };
	struct guide *g = guide_new(&(struct guide_limits){
		.services = STREAMS, .days = 7, .bytes = 1 << 20 });
	char id[16], other[16];

	for (unsigned i = 0; i < STREAMS; i++) {
		(void)snprintf(id, sizeof id, "a%u", i);
		guide_set_programs(g, id, numbers, 1);
	}
	for (unsigned i = 0; i < STREAMS; i++) {
		(void)snprintf(id, sizeof id, "a%u", i);
		(void)snprintf(other, sizeof other, "b%u", i);
		if (i % 3 == 1)
			guide_rename_stream(g, id, other);
		else if (i % 3 == 2)
			guide_remove_stream(g, id);
	}
	for (unsigned i = 0; i < STREAMS; i++) {
		cr_expect_eq(has_guide(g, 'a', i), i % 3 == 0);
		cr_expect_eq(has_guide(g, 'b', i), i % 3 == 1);
	}
	cr_expect_eq(guide_count(g).services, STREAMS / 3 * 2);
	guide_free(&g);
}

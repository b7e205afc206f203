/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/output/join_point.h"

#include "common/base/alloc.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/cc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define START (5000 * MS)

enum { VIDEO = 0x101, AUDIO = 0x102, GOT_MAX = 64 };

static const uint8_t idr[] = { 0, 0, 0, 1, 0x65, 0x88, 0x80, 0x10 };
static const uint8_t other[] = { 0, 0, 0, 1, 0x41, 0x9a, 0x80, 0x10 };

struct got {
	uint8_t packets[GOT_MAX][TS_PACKET];
	size_t n;
};

static void put(const uint8_t *packets, size_t n, void *arg)
{
	struct got *g = arg;

	cr_assert_leq(g->n + n, GOT_MAX);
	memcpy(g->packets[g->n], packets, n * TS_PACKET);
	g->n += n;
}

Test(join_point, is_a_picture_behind_tables_with_continuous_counters)
{
	struct join_search *j = join_search_new();
	struct build *b = build_new();
	struct cc *cc = xcalloc(1, sizeof *cc);
	struct got got = { 0 };
	struct ts_run run;
	size_t at;

	/* the search has read the tables of the skipped packets */
	for (unsigned i = 0; i < 5; i++)
		build_tables(b);
	(void)build_pes(b, VIDEO, idr, sizeof idr);
	run = build_run(b);
	join_search_skip(j, &run);
	b->n = 0;
	(void)build_payload(b, VIDEO, 1);
	(void)build_pes(b, VIDEO, other, sizeof other);
	build_tables(b);
	(void)build_payload(b, AUDIO, 1);
	at = b->n;
	(void)build_pes(b, VIDEO, idr, sizeof idr);
	(void)build_payload(b, VIDEO, 2);
	build_tables(b);
	run = build_run(b);
	cr_assert_eq(join_search_find(j, &run, START), at);

	join_search_tables(j, put, &got);
	cr_assert_eq(ts_pid(got.packets[0]), TS_PID_PAT);
	put(run.data + at * TS_PACKET, run.n - at, &got);
	cr_assert_eq(ts_pid(got.packets[got.n - (run.n - at)]), VIDEO);
	for (size_t i = 0; i < got.n; i++)
		cr_assert_eq(cc_feed(cc, got.packets[i]), CC_OK, "packet %zu",
			     i);
	free(cc);
	build_free(b);
	join_search_free(&j);
}

Test(join_point, is_any_packet_after_the_timeout)
{
	struct join_search *j = join_search_new();
	struct build *b = build_new();
	struct ts_run run;

	build_tables(b);
	(void)build_payload(b, VIDEO, 1);
	(void)build_pes(b, VIDEO, other, sizeof other);
	run = build_run(b);
	cr_assert_eq(join_search_find(j, &run, START), run.n);
	cr_assert_eq(join_search_find(j, &run, START +
				   JOIN_POINT_TIMEOUT_MS * MS), run.n - 1);
	build_free(b);
	join_search_free(&j);
}

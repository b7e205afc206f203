/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "common/base/util.h"
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
	struct got got = { 0 };
	struct join_search *j = join_search_new(put, &got);
	struct build *b = build_new();
	struct cc *cc = xcalloc(1, sizeof *cc);
	uint64_t dropped = 0;
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
	cr_assert(join_search_feed(j, &run, START, &dropped));
	cr_assert_eq(dropped, at);
	cr_assert_eq(ts_pid(got.packets[0]), TS_PID_PAT);
	cr_assert_eq(ts_pid(got.packets[got.n - (run.n - at)]), VIDEO);
	for (size_t i = 0; i < got.n; i++)
		cr_assert_eq(cc_feed(cc, got.packets[i]), CC_OK, "packet %zu",
			     i);
	free(cc);
	build_free(b);
	join_search_free(&j);
}

/* The first packet of the picture has no byte of it. */
Test(join_point, is_a_picture_that_a_later_packet_decides)
{
	struct got got = { 0 };
	struct join_search *j = join_search_new(put, &got);
	struct build *b = build_new();
	struct cc *cc = xcalloc(1, sizeof *cc);
	uint64_t dropped = 0;
	uint8_t *p;

	build_tables(b);
	(void)build_pes(b, VIDEO, "", 0);
	p = build_payload(b, VIDEO, 0xff);
	memcpy(p + TS_PACKET - sizeof other, other, sizeof other);
	(void)build_pes(b, VIDEO, "", 0);
	build_tables(b);
	(void)build_payload(b, AUDIO, 1);
	p = build_payload(b, VIDEO, 0xff);
	memcpy(p + TS_PACKET - sizeof idr, idr, sizeof idr);
	(void)build_payload(b, VIDEO, 1);
	/* in runs of one packet: the earlier ones are gone */
	for (size_t i = 0; i < b->n - 1; i++) {
		struct ts_run one = { build_packet(b, i), 1 };

		cr_assert_eq(join_search_feed(j, &one, START, &dropped),
			     i == b->n - 2, "packet %zu", i);
	}
	cr_assert_eq(dropped, 4);
	cr_assert_eq(got.n, 2 + 5);
	cr_assert_eq(ts_pid(got.packets[0]), TS_PID_PAT);
	cr_assert(ts_pusi(got.packets[2]));
	cr_assert_eq(ts_pid(got.packets[2]), VIDEO);
	for (size_t i = 0; i < got.n; i++)
		cr_assert_eq(cc_feed(cc, got.packets[i]), CC_OK, "packet %zu",
			     i);
	free(cc);
	build_free(b);
	join_search_free(&j);
}

static void count(const uint8_t *packets, size_t n, void *arg)
{
	(void)packets;
	*(size_t *)arg += n;
}

Test(join_point, is_a_picture_with_indicator_that_no_packet_decides)
{
	for (unsigned i = 0; i < 2; i++) {
		size_t n = 0;
		struct join_search *j = join_search_new(count, &n);
		struct build *b = build_new();
		struct ts_run filling, run;
		uint64_t dropped = 0;

		build_tables(b);
		build_pes(b, VIDEO, "", 0)[5] |= i == 0 ? 0 : 0x40;
		run = build_run(b);
		cr_assert_not(join_search_feed(j, &run, START, &dropped));
		b->n = 0;
		(void)build_payload(b, AUDIO, 1);
		filling = build_run(b);
		for (unsigned k = 1; k < JOIN_POINT_HELD_MAX; k++)
			cr_assert_not(join_search_feed(j, &filling, START,
						       &dropped));
		cr_assert_eq(join_search_feed(j, &filling, START, &dropped),
			     i == 1);
		cr_assert_eq(n, i == 0 ? 0 : 2 + JOIN_POINT_HELD_MAX + 1);
		build_free(b);
		join_search_free(&j);
	}
}

Test(join_point, is_any_unit_once_the_patience_is_over)
{
	struct got got = { 0 };
	struct join_search *j = join_search_new(put, &got);
	struct build *b = build_new();
	uint64_t dropped = 0;
	struct ts_run run;

	build_tables(b);
	(void)build_payload(b, VIDEO, 1);
	(void)build_pes(b, VIDEO, other, sizeof other);
	run = build_run(b);
	cr_assert_not(join_search_feed(j, &run, START, &dropped));
	/* a group of pictures of 12 s is waited for */
	cr_assert_not(join_search_feed(j, &run, START + 12000 * MS, &dropped));
	cr_assert(join_search_feed(j, &run, START +
				   JOIN_POINT_PATIENCE_MS * MS, &dropped));
	build_free(b);
	join_search_free(&j);
}

Test(join_point, is_a_unit_before_it_is_any_packet_after_the_patience)
{
	const uint64_t over = START + JOIN_POINT_PATIENCE_MS * MS;

	for (unsigned i = 0; i < 2; i++) {
		struct got got = { 0 };
		struct join_search *j = join_search_new(put, &got);
		struct build *b = build_new();
		uint64_t dropped = 0;
		struct ts_run run;

		build_tables(b);
		(void)build_pes(b, VIDEO, other, sizeof other);
		run = build_run(b);
		cr_assert_not(join_search_feed(j, &run, START, &dropped));
		b->n = 0;
		(void)build_payload(b, AUDIO, 1);
		(void)build_payload(b, VIDEO, 1);
		if (i == 0)
			(void)build_pes(b, VIDEO, other, sizeof other);
		run = build_run(b);
		cr_assert_eq(join_search_feed(j, &run, over, &dropped), i == 0);
		if (i == 1)
			cr_assert(join_search_feed(
				j, &run, over + JOIN_POINT_TIMEOUT_MS * MS,
				&dropped));
		/* behind PAT and PMT: the picture, or the next packet */
		cr_assert_eq(ts_pid(got.packets[2]), i == 0 ? VIDEO : AUDIO);
		cr_assert_eq(ts_pusi(got.packets[2]), i == 0);
		build_free(b);
		join_search_free(&j);
	}
}

Test(join_point, is_any_unit_of_an_unknown_codec_after_two_seconds)
{
	struct got got = { 0 };
	struct join_search *j = join_search_new(put, &got);
	struct build *b = build_new();
	uint64_t dropped = 0;
	struct ts_run run;

	(void)build_pes(b, 0x300, other, sizeof other);
	run = build_run(b);
	cr_assert_not(join_search_feed(j, &run, START, &dropped));
	cr_assert(join_search_feed(j, &run, START + JOIN_POINT_TIMEOUT_MS * MS,
				   &dropped));
	build_free(b);
	join_search_free(&j);
}

/* Its PMT has stream_type 6, and no packet has random_access_indicator. */
Test(join_point, is_an_irap_picture_of_hevc_as_private_pes)
{
	static const struct build_entry program = { 1, 0x100 };
	/* by registration, and by the HEVC video descriptor */
	static const struct build_es es[] = {
		{ 0x06, VIDEO, "\x05\4HEVC", 6 },
		{ 0x06, VIDEO, "\x38\0", 2 },
	};
	static const uint8_t trail[] = { 0, 0, 1, 0x02, 0x01, 0xff };
	static const uint8_t idr_w_radl[] = { 0, 0, 1, 0x26, 0x01, 0xff };

	for (size_t i = 0; i < ARRAY_LEN(es); i++) {
		struct got got = { 0 };
		struct join_search *j = join_search_new(put, &got);
		struct build *b = build_new();
		uint64_t dropped = 0;
		uint8_t section[256];
		struct ts_run run;

		(void)build_section(b, TS_PID_PAT, section,
				    build_pat(section, 0, &program, 1));
		(void)build_section(
			b, 0x100, section,
			build_pmt(section, (struct build_entry){ 1, VIDEO }, 0,
				  &es[i], 1));
		(void)build_pes(b, VIDEO, trail, sizeof trail);
		(void)build_pes(b, VIDEO, idr_w_radl, sizeof idr_w_radl);
		(void)build_pes(b, VIDEO, trail, sizeof trail);
		run = build_run(b);
		cr_assert(join_search_feed(j, &run, START, &dropped));
		cr_expect_eq(dropped, 3);
		build_free(b);
		join_search_free(&j);
	}
}

/* The PMT lists a video that has pictures and then is not sent. */
Test(join_point, is_an_audio_frame_while_the_video_is_silent)
{
	const uint64_t over = START + JOIN_POINT_TIMEOUT_MS * MS;
	struct got got = { 0 };
	struct join_search *j = join_search_new(put, &got);
	struct build *b = build_new();
	uint64_t dropped = 0;
	struct ts_run run;

	build_tables(b);
	(void)build_pes(b, VIDEO, idr, sizeof idr);
	(void)build_pes(b, VIDEO, other, sizeof other);
	run = build_run(b);
	join_search_skip(j, &run);
	b->n = 0;
	(void)build_payload(b, AUDIO, 1);
	(void)build_pes(b, AUDIO, other, sizeof other);
	run = build_run(b);
	for (uint64_t at = START; at < over; at += 100 * MS)
		cr_assert_not(join_search_feed(j, &run, at, &dropped));
	cr_assert(join_search_feed(j, &run, over, &dropped));
	cr_assert_eq(ts_pid(got.packets[2]), AUDIO);
	cr_assert(ts_pusi(got.packets[2]));
	build_free(b);
	join_search_free(&j);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/remux/version_stage.h"

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PMT_PID = 0x100, OTHER_PID = 0x110, VIDEO = 0x101, SDT_PID = 0x11 };

struct scene {
	struct version_counts counts;
	struct version_stage *stage;
	struct build *in;
	struct build *out;
};

static struct scene s;

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < n_runs; i++) {
		memcpy(s.out->data + s.out->n * TS_PACKET, runs[i].data,
		       runs[i].n * TS_PACKET);
		s.out->n += runs[i].n;
	}
}

static void setup(void)
{
	s = (struct scene){ .in = build_new(), .out = build_new() };
	s.stage = version_stage_new(&s.counts, take, NULL);
}

static void teardown(void)
{
	version_stage_free(&s.stage);
	build_free(s.in);
	build_free(s.out);
}

TestSuite(version_stage, .init = setup, .fini = teardown);

/* A table of so many bytes behind its header. */
static void put_table(uint16_t pid, uint8_t id, uint16_t extension,
		      uint8_t version, size_t len)
{
	uint8_t body[SECTION_PSI_MAX], section[SECTION_PSI_MAX];
	size_t n;

	memset(body, version + 3, sizeof body);
	n = build_table(section, &(struct build_table){
					 .table_id = id,
					 .extension = extension,
					 .version = version,
					 .body = body,
					 .len = len,
				 });
	(void)build_section(s.in, pid, section, n);
}

/* Feeds the built packets in runs of n, and checks that all come out. */
static void feed(size_t n)
{
	struct ts_run all = build_run(s.in);

	s.out->n = 0;
	for (size_t at = 0; at < all.n; at += n) {
		struct ts_run run = { all.data + at * TS_PACKET,
				      MIN(n, all.n - at) };

		version_stage_feed(s.stage, &run, 1);
	}
	cr_assert_eq(s.out->n, all.n);
	s.in->n = 0;
}

/* The versions of the sections of a PID; each has a right CRC_32. */
static size_t versions_of(uint16_t pid, uint8_t *ret, size_t max)
{
	uint8_t buffer[SECTION_PSI_MAX];
	struct section_assembler a;
	size_t n = 0, len;

	section_init(&a, buffer, sizeof buffer);
	for (size_t i = 0; i < s.out->n; i++) {
		const uint8_t *section;

		if (ts_pid(build_packet(s.out, i)) != pid)
			continue;
		section_push(&a, build_packet(s.out, i));
		while ((section = section_pull(&a, &len)) != NULL && n < max)
			ret[n++] = section[5] >> 1 & 0x1f;
	}
	cr_expect_eq(a.crc_errors, 0U);
	return n;
}

/* The versions of contents as a remux gives them, and those of the output. */
Test(version_stage, each_change_counts_by_one)
{
	static const struct {
		uint8_t in[10], out[10];
	} cases[] = {
		{ { 0, 0, 1, 1, 0, 0, 1, 2, 2, 0 },
		  { 0, 0, 1, 1, 2, 2, 3, 4, 4, 5 } },
		{ { 30, 31, 30, 31, 31, 5, 30, 30, 31, 30 },
		  { 30, 31, 0, 1, 1, 2, 3, 3, 4, 5 } },
		{ { 7, 3, 3, 7, 3, 7, 3, 7, 3, 7 },
		  { 7, 8, 8, 9, 10, 11, 12, 13, 14, 15 } },
	};
	static const struct {
		uint16_t pid;
		uint8_t table;
		size_t len;
	} tables[] = {
		{ 0, 0x00, 4 }, { 0, 0x00, 500 }, { 1, 0x01, 40 },
		{ PMT_PID, 0x02, 20 }, { PMT_PID, 0x02, 171 },
		{ PMT_PID, 0x02, 172 }, { PMT_PID, 0x02, 175 },
		{ PMT_PID, 0x02, 1009 }, { SDT_PID, 0x42, 300 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases) * ARRAY_LEN(tables); i++) {
		size_t c = i / ARRAY_LEN(tables), t = i % ARRAY_LEN(tables);
		uint8_t seen[10];

		memset(&s.counts, 0, sizeof s.counts);
		for (size_t k = 0; k < 10; k++) {
			put_table(tables[t].pid, tables[t].table, 5,
				  cases[c].in[k], tables[t].len);
			(void)build_pes(s.in, VIDEO, "picture", 7);
		}
		feed(1 + i % 5);
		cr_assert_eq(versions_of(tables[t].pid, seen, 10), 10U,
			     "table %zu", t);
		cr_expect_arr_eq(seen, cases[c].out, 10, "case %zu, table %zu",
				 c, t);
	}
}

/* Two programs, whose long sections are sent in turns. */
Test(version_stage, sections_of_two_pids_may_alternate)
{
	uint8_t seen[4];

	for (uint8_t k = 0; k < 4; k++) {
		struct build *in = s.in;
		size_t at = in->n, half;

		put_table(PMT_PID, 0x02, 1, k % 2, 600);
		half = (in->n - at);
		put_table(OTHER_PID, 0x02, 2, k / 2, 600);
		for (size_t i = 1; i < half; i++) {
			uint8_t moved[TS_PACKET];

			/* the next packet of the second one comes earlier */
			memcpy(moved, build_packet(in, at + half + i - 1),
			       TS_PACKET);
			memmove(build_packet(in, at + 2 * i),
				build_packet(in, at + 2 * i - 1),
				(half - i) * TS_PACKET);
			memcpy(build_packet(in, at + 2 * i - 1), moved,
			       TS_PACKET);
		}
	}
	feed(3);
	cr_expect_eq(versions_of(PMT_PID, seen, 4), 4U);
	cr_expect_arr_eq(seen, ((uint8_t[]){ 0, 1, 2, 3 }), 4);
	cr_expect_eq(versions_of(OTHER_PID, seen, 4), 4U);
	cr_expect_arr_eq(seen, ((uint8_t[]){ 0, 0, 1, 1 }), 4);
}

Test(version_stage, other_packets_pass_unchanged)
{
	static uint8_t before[64 * TS_PACKET];
	size_t n;

	for (uint8_t k = 0; k < 8; k++) {
		(void)build_pes(s.in, VIDEO, "\x02\xb0\x0d", 3);
		put_table(SDT_PID, 0x46, 5, k % 2, 30);
		put_table(OTHER_PID, 0x80, 5, k % 2, 30);
		(void)build_payload(s.in, VIDEO, 0x02);
		(void)build_null(s.in);
	}
	n = s.in->n;
	memcpy(before, s.in->data, n * TS_PACKET);
	feed(7);
	cr_expect_arr_eq(s.out->data, before, n * TS_PACKET);
}

Test(version_stage, the_next_worker_continues)
{
	uint8_t seen[2];

	put_table(PMT_PID, 0x02, 1, 4, 50);
	put_table(PMT_PID, 0x02, 1, 2, 50);
	feed(9);
	version_stage_free(&s.stage);
	s.stage = version_stage_new(&s.counts, take, NULL);
	put_table(PMT_PID, 0x02, 1, 2, 50);
	put_table(PMT_PID, 0x02, 1, 4, 50);
	feed(9);
	cr_expect_eq(versions_of(PMT_PID, seen, 2), 2U);
	cr_expect_arr_eq(seen, ((uint8_t[]){ 5, 6 }), 2);
}

Test(version_stage, damaged_memory_and_too_many_tables_still_give_versions)
{
	uint8_t seen[1];

	memset(&s.counts, 0xff, sizeof s.counts);
	for (unsigned i = 0; i < 2 * VERSION_COUNTS_MAX; i++) {
		put_table(PMT_PID, 0x02, (uint16_t)i, 9, 20);
		feed(1);
		cr_assert_eq(versions_of(PMT_PID, seen, 1), 1U);
		cr_assert_eq(seen[0], 9);
	}
}

static void expect_version(uint16_t program, uint8_t in, uint8_t out)
{
	uint8_t seen[1];

	put_table(PMT_PID, 0x02, program, in, 20);
	feed(1);
	cr_assert_eq(versions_of(PMT_PID, seen, 1), 1U);
	cr_assert_eq(seen[0], out, "program %u: %u", program, seen[0]);
}

static void pass_pats(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		put_table(0, 0x00, 1, 0, 20);
		feed(1);
	}
}

/* Programs come and go over the life of a stream; those that stay keep their
 * counts, and one that was away for a short time, too. */
Test(version_stage, the_table_away_for_the_longest_time_loses_its_count)
{
	enum { STAYS = 1, LEFT = 2, FIRST = 1000, N = 4000 };

	expect_version(STAYS, 9, 9);
	for (unsigned i = 0; i < N; i++) {
		pass_pats(1);
		expect_version(STAYS, i % 2 ? 9 : 5,
			       (uint8_t)((9 + i + 1) % 32));
		if (i == N - 100)
			expect_version(LEFT, 3, 3);
		expect_version((uint16_t)(FIRST + i), 7, 7);
	}
	expect_version(LEFT, 4, 4);
	expect_version(LEFT, 3, 5);
	expect_version(FIRST + N - 1, 30, 8);
	/* the count of the first one is another's: it begins anew */
	expect_version(FIRST, 30, 30);
}

/* A table that left hours ago is not taken for one of now. */
Test(version_stage, the_age_of_a_table_does_not_wrap)
{
	enum { OLD = 1, NEW = 2, FIRST = 1000 };

	pass_pats(10);
	expect_version(OLD, 7, 7);
	pass_pats(0x10000 - 2);
	/* with PAT and OLD all counts are taken */
	for (unsigned i = 0; i < VERSION_COUNTS_MAX - 2; i++)
		expect_version((uint16_t)(FIRST + i), 7, 7);
	pass_pats(5);
	expect_version(NEW, 7, 7);
	expect_version(FIRST, 30, 8);
	expect_version(OLD, 30, 30);
}

/* The first packets of all tables come before the second ones. */
static void interleave(void)
{
	struct build *b = build_new();
	size_t half = s.in->n / 2;

	for (size_t i = 0; i < 2 * half; i++)
		memcpy(b->data + (i % 2 * half + i / 2) * TS_PACKET,
		       build_packet(s.in, i), TS_PACKET);
	memcpy(s.in->data, b->data, 2 * half * TS_PACKET);
	build_free(b);
}

Test(version_stage, as_many_sections_at_once_as_a_pat_has_programs)
{
	static const uint8_t versions[] = { 9, 4 };
	uint8_t seen[1];

	for (size_t v = 0; v < 2; v++) {
		for (uint16_t i = 0; i < PSI_PROGRAMS_MAX; i++)
			put_table((uint16_t)(0x100 + i), 0x02, i, versions[v],
				  300);
		cr_assert_eq(s.in->n, 2U * PSI_PROGRAMS_MAX);
		interleave();
		feed(7);
	}
	for (uint16_t i = 0; i < PSI_PROGRAMS_MAX; i++) {
		cr_expect_eq(versions_of((uint16_t)(0x100 + i), seen, 1),
			     1U);
		cr_expect_eq(seen[0], 10, "%u: %u", i, seen[0]);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/tables/table_stage.h"
#include "worker/tables/time_build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* 2,000 packets a second */
enum { MAX = 65536, KBPS = 3008 };

struct rig {
	uint8_t cc[TS_PIDS];
	struct table_stage *stage;
	uint64_t ms;
	size_t n;
	uint8_t got[MAX][TS_PACKET];
	uint64_t at[MAX];
};

static void take(const struct ts_run *runs, size_t n_runs, void *arg)
{
	struct rig *r = arg;

	for (size_t i = 0; i < n_runs; i++)
		for (size_t k = 0; k < runs[i].n; k++) {
			cr_assert_lt(r->n, (size_t)MAX);
			r->at[r->n] = r->ms;
			memcpy(r->got[r->n++], runs[i].data + k * TS_PACKET,
			       TS_PACKET);
		}
}

static struct rig *rig_of(unsigned kbps)
{
	struct rig *r = calloc(1, sizeof *r);

	r->stage = table_stage_new(&(struct table_stage_config){
		.cc = r->cc, .kbps = kbps, .out = take, .arg = r });
	return r;
}

static struct rig *rig_new(void)
{
	return rig_of(0);
}

static void rig_free(struct rig *r)
{
	table_stage_free(&r->stage);
	free(r);
}

static void feed(struct rig *r, uint16_t pid, size_t n)
{
	static uint8_t packets[64 * TS_PACKET];

	for (size_t i = 0; i < n; i++) {
		uint8_t *p = packets + i * TS_PACKET;

		memset(p, 0, TS_PACKET);
		p[0] = TS_SYNC_BYTE;
		ts_set_pid(p, pid);
		p[3] = 0x10;
	}
	table_stage_feed(r->stage, &(struct ts_run){ packets, n }, 1,
			 r->ms * MS, r->ms);
}

static size_t count(const struct rig *r, uint16_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += ts_pid(r->got[i]) == pid;
	return n;
}

static void expect_continuous(const struct rig *r, uint16_t pid)
{
	int cc = -1;

	for (size_t i = 0; i < r->n; i++) {
		if (ts_pid(r->got[i]) != pid)
			continue;
		cr_assert(cc < 0 || ts_cc(r->got[i]) == ((cc + 1) & 15));
		cc = ts_cc(r->got[i]);
	}
}

static const struct schedule_key nit = { 0x10, 0x40, 1, 0 };

static void set_nit(struct rig *r, size_t len)
{
	static uint8_t section[SECTION_MAX];

	memset(section, 0x55, sizeof section);
	section[0] = 0x40;
	section[1] = (uint8_t)(0x70 | (len - 3) >> 8); /* without a CRC_32 */
	section[2] = (uint8_t)(len - 3);
	cr_assert(schedule_set(table_stage_schedule(r->stage), &nit, 500,
			       &(struct schedule_section){ section, len }, 1));
}

static size_t clock_section(int64_t unix_s, void *arg,
			    uint8_t ret[SCHEDULE_CLOCK_LEN])
{
	(void)arg;
	tdt_build(unix_s, ret);
	return TDT_LEN;
}

Test(table_stage, replaces_null_packets_and_keeps_the_rate)
{
	struct rig *r = rig_new();
	size_t fed = 0;

	set_nit(r, 1000); /* 6 packets */
	/* 2,000 packets a second, every fourth a null packet */
	for (r->ms = 1; r->ms < 10000; r->ms += 10, fed += 20) {
		feed(r, 0x100, 15);
		feed(r, TS_PID_NULL, 5);
	}
	/* no null packet is known when the first section is due */
	cr_expect(r->n - fed <= 1);
	cr_expect_geq(count(r, 0x10), 19 * 6);
	cr_expect_eq(count(r, 0x100), fed / 4 * 3);
	expect_continuous(r, 0x10);
	rig_free(r);
}

Test(table_stage, adds_no_packet_to_a_constant_rate)
{
	struct rig *r = rig_of(KBPS);
	size_t fed = 0;

	set_nit(r, 1000); /* 6 packets */
	/* two seconds in ten have no null packets */
	for (r->ms = 1; r->ms < 10000; r->ms += 10, fed += 20) {
		bool full = r->ms < 1000 || r->ms / 1000 == 5;

		feed(r, 0x100, full ? 20 : 15);
		if (!full)
			feed(r, TS_PID_NULL, 5);
	}
	cr_expect_eq(r->n, fed);
	cr_expect_geq(count(r, 0x10), 15 * 6);
	expect_continuous(r, 0x10);
	/* a dropped packet without a successor is a place from the start */
	table_stage_drop_pid(r->stage, 0x200, true);
	feed(r, 0x200, 20);
	cr_expect_eq(r->n, fed + 20);
	rig_free(r);
}

Test(table_stage, own_sections_keep_25_ms_however_long_one_waits)
{
	struct rig *r = rig_of(KBPS);
	uint8_t sections[2][16] = { { 0x40, 0x70, 13 }, { 0x40, 0x70, 13, 1 } };
	const struct schedule_section list[] = { { sections[0], 16 },
						 { sections[1], 16 } };
	size_t last = 0, n = 0;

	cr_assert(schedule_set(table_stage_schedule(r->stage), &nit, 50, list,
			       2));
	/* one of them waits for the null packets, the next one does not */
	for (r->ms = 1; r->ms < 5000; r->ms += 10)
		feed(r, r->ms / 10 % 5 / 2 == 1 ? TS_PID_NULL : 0x100, 20);
	for (size_t i = 0; i < r->n; i++) {
		if (ts_pid(r->got[i]) != 0x10)
			continue;
		cr_assert(n == 0 || i - last > 50, "%zu", i - last);
		last = i;
		n++;
	}
	cr_expect_geq(n, 100u, "%zu", n);
	rig_free(r);
}

Test(table_stage, says_when_a_table_lacks_places)
{
	struct rig *r = rig_of(KBPS);

	set_nit(r, 100);
	feed(r, 0x100, 20);
	cr_expect(!table_stage_lacks_places(r->stage));
	for (r->ms = 1; r->ms < 100; r->ms += 10)
		feed(r, 0x100, 20);
	cr_expect(table_stage_lacks_places(r->stage));
	feed(r, TS_PID_NULL, 1);
	cr_expect_eq(count(r, 0x10), 1u);
	cr_expect(!table_stage_lacks_places(r->stage));
	/* a schedule of events is sent in what is left */
	cr_assert(schedule_set_terms(
		table_stage_schedule(r->stage),
		&(struct schedule_key){ 0x12, 0x50, 1, 0 },
		&(struct schedule_terms){ 1000, SCHEDULE_GUIDE },
		&(struct schedule_section){ (const uint8_t *)"\x50\x70\0", 3 },
		1));
	for (; r->ms < 300; r->ms += 10)
		feed(r, 0x100, 20);
	cr_expect(!table_stage_lacks_places(r->stage));
	/* and is not queued before */
	feed(r, TS_PID_NULL, 1);
	cr_expect_eq(count(r, 0x12), 0u);
	feed(r, TS_PID_NULL, 1);
	cr_expect_eq(count(r, 0x12), 1u);
	rig_free(r);
}

Test(table_stage, a_schedule_takes_no_place_that_others_lack)
{
	struct rig *r = rig_of(KBPS);
	uint8_t guide[4000] = { 0x50, 0x7f, 0x9d };

	cr_assert(schedule_set_terms(
		table_stage_schedule(r->stage),
		&(struct schedule_key){ 0x12, 0x50, 1, 0 },
		&(struct schedule_terms){ 1000, SCHEDULE_GUIDE },
		&(struct schedule_section){ guide, sizeof guide }, 1));
	/* it begins: 22 packets; then there are no other null packets */
	feed(r, TS_PID_NULL, 1);
	set_nit(r, 100);
	for (r->ms = 1; r->ms < 5000; r->ms += 10) {
		if (table_stage_lacks_places(r->stage))
			feed(r, TS_PID_NULL, 1);
		feed(r, 0x100, 20);
		/* until the queue has room for others */
		cr_assert(r->ms < 400 || count(r, 0x10) > 0);
	}
	cr_expect_geq(count(r, 0x10), 9u, "%zu", count(r, 0x10));
	cr_expect_leq(count(r, 0x12), 5u, "%zu", count(r, 0x12));
	rig_free(r);
}

Test(table_stage, inserts_packets_where_there_are_no_null_packets)
{
	struct rig *r = rig_new();

	set_nit(r, 1000);
	/* a radio: 85 packets a second */
	for (r->ms = 1; r->ms < 10000; r->ms += 47)
		feed(r, 0x100, 4);
	cr_expect_geq(count(r, 0x10), 17 * 6);
	expect_continuous(r, 0x10);
	rig_free(r);
}

Test(table_stage, spreads_the_packets_of_a_pid)
{
	struct rig *r = rig_new();
	size_t last = 0;

	set_nit(r, 1000);
	/* 20,000 packets a second: one of the PID in 31 */
	for (r->ms = 1; r->ms < 3000; r->ms += 2) {
		feed(r, 0x100, 30);
		feed(r, TS_PID_NULL, 10);
	}
	for (size_t i = 0; i < r->n; i++) {
		if (ts_pid(r->got[i]) != 0x10)
			continue;
		/* the rate is known after a second */
		cr_assert(r->at[i] < 1010 || i - last >= 30, "%zu", i - last);
		last = i;
	}
	rig_free(r);
}

Test(table_stage, sends_a_clock_within_the_first_100_ms_of_its_second)
{
	struct rig *r = rig_new();
	struct schedule *s = table_stage_schedule(r->stage);
	unsigned n = 0;

	set_nit(r, 4000);
	cr_assert(schedule_set_clock(
		s, &(struct schedule_key){ 0x14, 0x70, 0, 0 }, 1000,
		clock_section, NULL));
	cr_assert(schedule_set_clock(
		s, &(struct schedule_key){ 0x14, 0x73, 0, 0 }, 1000,
		clock_section, NULL));
	for (r->ms = 1; r->ms < 20000; r->ms += 9) {
		feed(r, 0x100, 8);
		if (r->ms > 10000)
			feed(r, TS_PID_NULL, 2);
	}
	for (size_t i = 0; i < r->n; i++) {
		const uint8_t *p = r->got[i] + 5;

		if (ts_pid(r->got[i]) != 0x14)
			continue;
		cr_assert_lt(r->at[i] % 1000, 100);
		cr_assert_eq((p[7] >> 4) * 10 + (p[7] & 15),
			     r->at[i] / 1000 % 60);
		n++;
	}
	cr_assert_geq(n, 2 * 19);
	expect_continuous(r, 0x14);
	rig_free(r);
}

/* A packet with an NIT actual (0x40) and an NIT other (0x41). */
Test(table_stage, drops_the_tables_that_are_replaced_and_passes_the_others)
{
	struct rig *r = rig_new();
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE, 0x40, 0x10, 0x10, 0,
				      0x40, 0x30, 2, 0xaa, 0xbb,
				      0x41, 0x30, 2, 0xcc, 0xdd };
	size_t others = 0;

	memset(packet + 15, 0xff, TS_PACKET - 15);
	table_stage_drop(r->stage, 0x40, true);
	for (r->ms = 1; r->ms < 2000; r->ms += 10) {
		feed(r, 0x100, 20);
		if (r->ms % 100 != 1)
			continue;
		ts_set_cc(packet, (unsigned)(r->ms / 100));
		table_stage_feed(r->stage, &(struct ts_run){ packet, 1 }, 1,
				 r->ms * MS, r->ms);
	}
	for (size_t i = 0; i < r->n; i++) {
		if (ts_pid(r->got[i]) != 0x10)
			continue;
		cr_assert_eq(r->got[i][5], 0x41);
		others++;
	}
	cr_assert_geq(others, 19);
	expect_continuous(r, 0x10);
	/* and again unchanged */
	r->n = 0;
	table_stage_drop(r->stage, 0x40, false);
	table_stage_feed(r->stage, &(struct ts_run){ packet, 1 }, 1,
			 r->ms * MS, r->ms);
	cr_assert_arr_eq(r->got[r->n - 1], packet, TS_PACKET);
	rig_free(r);
}

/* Own sections and those of the source share the counter of a PID. */
Test(table_stage, own_sections_share_the_pid_of_the_tables_of_the_source)
{
	struct rig *r = rig_new();
	uint8_t packet[TS_PACKET] = { TS_SYNC_BYTE, 0x40, 0x10, 0x10, 0,
				      0x41, 0x30, 2, 0xcc, 0xdd };
	size_t own = 0, others = 0;

	memset(packet + 10, 0xff, TS_PACKET - 10);
	set_nit(r, 300);
	table_stage_own_pid(r->stage, 0x10);
	table_stage_own_pid(r->stage, 0x333);
	for (r->ms = 1; r->ms < 4000; r->ms += 10) {
		feed(r, 0x100, 20);
		feed(r, 0x333, 1);
		if (r->ms % 100 != 1)
			continue;
		ts_set_cc(packet, (unsigned)(r->ms / 100));
		table_stage_feed(r->stage, &(struct ts_run){ packet, 1 }, 1,
				 r->ms * MS, r->ms);
	}
	for (size_t i = 0; i < r->n; i++) {
		if (ts_pid(r->got[i]) != 0x10 || !ts_pusi(r->got[i]))
			continue;
		own += r->got[i][5] == 0x40;
		others += r->got[i][5] == 0x41;
	}
	cr_assert_geq(own, 7);
	cr_assert_geq(others, 38);
	cr_assert_eq(count(r, 0x333), 0);
	expect_continuous(r, 0x10);
	rig_free(r);
}

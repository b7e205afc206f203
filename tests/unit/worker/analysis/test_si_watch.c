/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/analysis/si_watch.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	BPS = 10000000,
	GAP = 166, /* packets in 25 ms */
};

struct rig {
	struct si_watch watch;
	struct build *build;
	uint64_t nth;
	uint64_t now_ns;
};

static struct rig *rig_new(void)
{
	struct rig *r = xcalloc(1, sizeof *r);

	si_watch_init(&r->watch);
	si_watch_set_rate(&r->watch, BPS);
	r->build = build_new();
	r->now_ns = SECOND_NS;
	return r;
}

static void rig_free(struct rig *r)
{
	build_free(r->build);
	free(r);
}

/* A section; all packets behind each other. */
static void put(struct rig *r, uint16_t pid, uint8_t id, uint16_t extension,
		size_t len)
{
	static const uint8_t body[SECTION_MAX - 12] = { 0 };
	uint8_t section[SECTION_MAX];
	size_t n = build_table(section, &(struct build_table){
		.table_id = id, .extension = extension,
		.body = body, .len = len });

	r->build->n = 0;
	(void)build_section(r->build, pid, section, n);
	for (size_t i = 0; i < r->build->n; i++)
		si_watch_feed(&r->watch, build_packet(r->build, i), ++r->nth,
			      r->now_ns);
}

static void pass(struct rig *r, uint64_t packets)
{
	r->nth += packets;
	r->now_ns += packets * TS_PACKET * 8 * SECOND_NS / BPS;
}

Test(si_watch, sections_of_a_sub_table_need_25_ms)
{
	struct rig *r = rig_new();

	put(r, SI_PID_EIT, EIT_TABLE_ID, 1, 100);
	/* of another service, and another table */
	put(r, SI_PID_EIT, EIT_TABLE_ID, 2, 100);
	put(r, SI_PID_EIT, EIT_SCHEDULE_TABLE_ID, 1, 3000);
	cr_expect_eq(r->watch.near, 0u);
	/* from the end of one to the begin of the next one */
	pass(r, GAP - 20);
	put(r, SI_PID_EIT, EIT_SCHEDULE_TABLE_ID, 1, 3000);
	cr_expect_eq(r->watch.near, 1u);
	pass(r, GAP);
	put(r, SI_PID_EIT, EIT_SCHEDULE_TABLE_ID, 1, 3000);
	put(r, SI_PID_EIT, EIT_TABLE_ID, 1, 100);
	cr_expect_eq(r->watch.near, 1u);
	/* without a constant rate nothing is known */
	si_watch_set_rate(&r->watch, 0);
	put(r, SI_PID_EIT, EIT_TABLE_ID, 1, 100);
	cr_expect_eq(r->watch.near, 1u);
	cr_expect_eq(r->watch.late, 0u);
	rig_free(r);
}

Test(si_watch, sub_tables_of_others_and_of_the_schedule_may_be_late)
{
	static const struct {
		uint16_t pid;
		uint8_t id;
		unsigned most_s;
	} list[] = {
		{ SI_PID_NIT, NIT_OTHER_TABLE_ID, 10 },
		{ SI_PID_SDT, SDT_OTHER_TABLE_ID, 10 },
		{ SI_PID_SDT, BAT_TABLE_ID, 10 },
		{ SI_PID_EIT, EIT_OTHER_TABLE_ID, 20 },
		{ SI_PID_EIT, EIT_SCHEDULE_TABLE_ID, 30 },
		{ SI_PID_EIT, EIT_LAST_TABLE_ID, 300 },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct rig *r = rig_new();

		put(r, list[i].pid, list[i].id, 7, 50);
		r->now_ns += list[i].most_s * SECOND_NS;
		pass(r, 1000);
		put(r, list[i].pid, list[i].id, 7, 50);
		cr_expect_eq(r->watch.late, 0u, "table %u", list[i].id);
		r->now_ns += list[i].most_s * SECOND_NS + SECOND_NS;
		pass(r, 1000);
		put(r, list[i].pid, list[i].id, 7, 50);
		cr_expect_eq(r->watch.late, 1u, "table %u", list[i].id);
		rig_free(r);
	}
}

Test(si_watch, a_silence_makes_no_sub_table_late)
{
	struct rig *r = rig_new();

	put(r, SI_PID_SDT, BAT_TABLE_ID, 7, 50);
	r->now_ns += 60 * SECOND_NS;
	si_watch_resume(&r->watch, r->now_ns);
	r->now_ns += 9 * SECOND_NS;
	pass(r, 1000);
	put(r, SI_PID_SDT, BAT_TABLE_ID, 7, 50);
	cr_expect_eq(r->watch.late, 0u);
	r->now_ns += 11 * SECOND_NS;
	put(r, SI_PID_SDT, BAT_TABLE_ID, 7, 50);
	cr_expect_eq(r->watch.late, 1u);
	rig_free(r);
}

Test(si_watch, each_pid_has_its_tables)
{
	static const struct {
		uint16_t pid;
		uint8_t good, bad;
		enum si_slot slot;
	} list[] = {
		{ SI_PID_CAT, CAT_TABLE_ID, ST_TABLE_ID, SI_SLOT_CAT },
		{ SI_PID_NIT, NIT_TABLE_ID, SDT_TABLE_ID, SI_SLOT_NIT },
		{ SI_PID_SDT, BAT_TABLE_ID, NIT_TABLE_ID, SI_SLOT_SDT },
		{ SI_PID_EIT, EIT_LAST_TABLE_ID, 0x70, SI_SLOT_EIT },
		{ SI_PID_RST, RST_TABLE_ID, 0x70, SI_SLOT_RST },
		{ SI_PID_TDT, TOT_TABLE_ID, RST_TABLE_ID, SI_SLOT_TDT },
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		struct rig *r = rig_new();

		put(r, list[i].pid, list[i].good, 1, 50);
		if (list[i].pid != SI_PID_CAT)
			put(r, list[i].pid, ST_TABLE_ID, 1, 50);
		cr_expect_eq(r->watch.wrong[list[i].slot], 0u, "%zu", i);
		put(r, list[i].pid, list[i].bad, 1, 50);
		cr_expect_eq(r->watch.wrong[list[i].slot], 1u, "%zu", i);
		rig_free(r);
	}
}

Test(si_watch, rst_has_a_distance_of_its_own)
{
	struct rig *r = rig_new();

	put(r, SI_PID_RST, RST_TABLE_ID, 0, 50);
	pass(r, GAP);
	put(r, SI_PID_RST, RST_TABLE_ID, 0, 50);
	cr_expect_eq(r->watch.rst_near, 0u);
	put(r, SI_PID_RST, RST_TABLE_ID, 0, 50);
	cr_expect_eq(r->watch.rst_near, 1u);
	cr_expect_eq(r->watch.near, 0u);
	rig_free(r);
}

Test(si_watch, any_number_of_sub_tables_is_bounded)
{
	struct rig *r = rig_new();

	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 4 * SI_SUB_TABLES_MAX; i++) {
			pass(r, GAP);
			put(r, SI_PID_EIT, EIT_TABLE_ID, (uint16_t)i, 50);
		}
	cr_expect_eq(r->watch.near, 0u);
	/* those that were forgotten leave their places */
	r->now_ns += 700 * SECOND_NS;
	put(r, SI_PID_EIT, EIT_TABLE_ID, 0x7fff, 50);
	put(r, SI_PID_EIT, EIT_TABLE_ID, 0x7fff, 50);
	cr_expect_eq(r->watch.near, 1u);
	rig_free(r);
}

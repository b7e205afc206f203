/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/wanted_pids.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>

enum { TABLES = 6, MAX = 128, CAT_TABLE = 1, EMM = 0x444 };

static struct wanted_pids wanted;
static struct build *b; /* its counters continue */
static size_t fed;

static void start(void)
{
	b = build_new();
	wanted_pids_init(&wanted);
	wanted.programs.all = true;
}

static void stop(void)
{
	wanted_pids_done(&wanted);
	build_free(b);
}

TestSuite(wanted_pids, .init = start, .fini = stop);

static void feed(void)
{
	for (; fed < b->n; fed++)
		wanted_pids_feed(&wanted, build_packet(b, fed));
}

/* Program 1 with ECMs of CAID 0B00. */
static void feed_program(void)
{
	static const struct build_es streams[] = {
		{ 2, 0x111, "\x09\x04\x0b\x00\xe3\x33", 6 },
	};
	const struct build_entry programs[] = { { 1, 0x100 } };
	uint8_t section[SECTION_PSI_MAX];

	build_section(b, 0, section, build_pat(section, 0, programs, 1));
	build_section(b, 0x100, section,
		      build_pmt(section, programs[0], 0, streams, 1));
	feed();
}

/* A section of the CAT that names a PID of EMMs of CAID 0B00. */
static void feed_cat(uint8_t number, uint16_t pid)
{
	const uint8_t body[] = { 9, 4, 0x0b, 0, (uint8_t)(0xe0 | pid >> 8),
				 (uint8_t)pid };
	uint8_t section[SECTION_PSI_MAX];

	build_section(b, CAT_PID, section, build_table(section,
		&(struct build_table){ .table_id = CAT_TABLE,
			.extension = 0xffff, .number = number, .last = 1,
			.body = body, .len = sizeof body }));
	feed();
}

static size_t list(void)
{
	uint16_t pids[MAX];

	return wanted_pids_list(&wanted, pids, MAX);
}

Test(wanted_pids, the_cat_adds_emms_until_the_tuning_changes)
{
	feed_cat(0, EMM);
	cr_assert(wanted_pids_changed(&wanted));
	cr_assert_eq(list(), TABLES, "no program needs them");
	feed_program();
	cr_assert(wanted_pids_changed(&wanted));
	/* PMT, stream, ECMs, EMMs */
	cr_assert_eq(list(), TABLES + 4u);
	cr_assert_not(wanted_pids_changed(&wanted));
	feed_cat(0, EMM);
	cr_assert_not(wanted_pids_changed(&wanted), "it is known");
	feed_cat(1, EMM + 1);
	cr_assert(wanted_pids_changed(&wanted));
	cr_assert_eq(list(), TABLES + 5u);
	wanted_pids_reset(&wanted);
	cr_assert(wanted_pids_changed(&wanted));
	cr_assert_eq(list(), TABLES);
}

/* With ecm_pid the PMT need not name the CA system. */
Test(wanted_pids, a_stream_may_want_the_emms_of_every_ca_system)
{
	uint16_t pids[MAX];

	wanted.programs.all = false;
	wanted.programs.n_pids = 1;
	wanted.programs.pids[0] = 900;
	feed_cat(0, EMM);
	cr_assert_eq(list(), TABLES + 1u);
	wanted.programs.emms = true;
	cr_assert_eq(wanted_pids_list(&wanted, pids, MAX), TABLES + 2u);
	cr_assert_eq(pids[TABLES + 1], EMM);
	cr_assert_eq(wanted_pids_list(&wanted, pids, TABLES + 1), TABLES + 2u);
	cr_assert_eq(pids[TABLES], 900, "ECMs come first");
}

Test(wanted_pids, atsc_has_a_pid_of_tables)
{
	json_t *adapter = json_pack("{s:s}", "type", "ATSC");
	uint16_t pids[MAX];

	wanted_pids_carrier(&wanted, adapter);
	cr_assert_eq(wanted_pids_list(&wanted, pids, MAX), TABLES + 1u);
	cr_assert_eq(pids[TABLES], 0x1ffb);
	(void)json_object_set_new(adapter, "type", json_string("C/B"));
	wanted_pids_carrier(&wanted, adapter);
	cr_assert_eq(list(), TABLES + 1u);
	(void)json_object_set_new(adapter, "type", json_string("T"));
	wanted_pids_carrier(&wanted, adapter);
	cr_assert_eq(list(), (size_t)TABLES);
	json_decref(adapter);
}

/* Two counters make the sum that is compared. */
Test(wanted_pids, another_multiplex_is_a_change_after_any_number_of_tables)
{
	for (unsigned n = 0; n < 4; n++) {
		const struct build_entry programs[] = { { 1, 0x100 } };
		uint8_t section[SECTION_PSI_MAX];

		for (uint8_t version = 0; version < n; version++) {
			build_section(b, 0, section,
				      build_pat(section, version, programs, 1));
			feed();
		}
		(void)list();
		cr_assert_not(wanted_pids_changed(&wanted));
		wanted_pids_reset(&wanted);
		cr_expect(wanted_pids_changed(&wanted), "%u tables", n);
		(void)list();
	}
}

/* A hostile CAT names many PIDs: their number is bounded. */
Test(wanted_pids, no_cat_fills_the_list)
{
	feed_program();
	for (uint16_t i = 0; i < 1000; i++)
		feed_cat((uint8_t)(i & 1), (uint16_t)(EMM + i));
	cr_assert_eq(list(), TABLES + 3u + CA_REFS_MAX);
	feed_cat(0, 0x1f0);
	cr_assert_not(wanted_pids_changed(&wanted));
}

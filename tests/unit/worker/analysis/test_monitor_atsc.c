/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/analysis/bench.h"

#include "worker/analysis/report.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PSIP = 0x1ffb, EIT0 = 0x1d00, NETWORK = 0x50, MGT_TABLE_ID = 0xc7,
       NIT = 0x40 };

static void add_table(struct bench *b, uint16_t pid, uint8_t id,
		      const uint8_t *body, size_t len)
{
	uint8_t section[SECTION_MAX];

	build_section(b->build, pid, section,
		      build_table(section, &(struct build_table){
			.table_id = id, .body = body, .len = len }));
}

/* tables: how many the MGT claims to list; it lists EIT-0 alone. */
static void add_mgt(struct bench *b, uint8_t tables, uint16_t pid)
{
	const uint8_t body[] = { 0, 0, tables, 0x01, 0x00,
				 (uint8_t)(0xe0 | pid >> 8), (uint8_t)pid,
				 0xe0, 0, 0, 0, 77, 0xf0, 2, 0x40, 0,
				 0xf0, 0 };

	add_table(b, PSIP, MGT_TABLE_ID, body, sizeof body);
}

/* Seconds of a stream with an MGT and sections on two further PIDs. */
static void run_atsc(struct bench *b, unsigned seconds, uint8_t tables,
		     uint16_t pid)
{
	static const uint8_t event[] = { 0, 0 };

	for (unsigned i = 0; i < seconds * 10; i++) {
		if (tables != 0)
			add_mgt(b, tables, pid);
		add_table(b, EIT0, 0xcb, event, sizeof event);
		for (int k = 0; k < 5; k++)
			step(b, NULL);
		if (i % 10 == 9)
			(void)monitor_second(b->monitor, &b->counts,
					     START + b->ms * MS, b->ms);
	}
}

Test(monitor_atsc, the_mgt_refers_to_its_tables)
{
	struct bench b;

	setup(&b);
	run_atsc(&b, 4, 1, EIT0);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	cr_assert_eq(count(&b, ALARM_UNREFERENCED_PID), 0u);
	/* the next MGT lists another PID */
	run_atsc(&b, 3, 1, EIT0 + 1);
	only(&b, ALARM_UNREFERENCED_PID, ALARM_COUNT);
	done(&b);
}

Test(monitor_atsc, a_pid_needs_an_mgt_that_lists_it)
{
	struct bench b;

	setup(&b);
	run_atsc(&b, 3, 0, 0);
	only(&b, ALARM_UNREFERENCED_PID, ALARM_COUNT);
	/* an MGT that ends inside its second table is no list */
	run_atsc(&b, 3, 2, EIT0);
	only(&b, ALARM_UNREFERENCED_PID, ALARM_COUNT);
	run_atsc(&b, ALARM_CLEAR_S + 2, 1, EIT0);
	only(&b, ALARM_COUNT, ALARM_COUNT);
	monitor_reset(b.monitor, START + b.ms * MS);
	run_atsc(&b, 3, 0, 0);
	only(&b, ALARM_UNREFERENCED_PID, ALARM_COUNT);
	done(&b);
}

/* "psip" or "another"; NULL: the report has no kind of the PID. */
static const char *kind_of(const struct bench *b, int pid)
{
	json_t *report = json_object(), *one;
	const char *kind = NULL;
	size_t i;

	(void)monitor_report(b->monitor, &(struct report_part){
		.now_ns = START + b->ms * MS }, report);
	json_array_foreach(json_object_get(report, "pids"), i, one)
		if (json_integer_value(json_object_get(one, "pid")) == pid)
			kind = json_string_value(json_object_get(one, "kind"));
	if (kind != NULL)
		kind = strcmp(kind, "psip") == 0 ? "psip" : "another";
	json_decref(report);
	return kind;
}

Test(monitor_atsc, the_report_names_the_pids_of_psip)
{
	struct bench b;

	setup(&b);
	run_atsc(&b, 1, 0, 0);
	cr_assert_null(kind_of(&b, EIT0));
	cr_assert_null(kind_of(&b, PSIP));
	run_atsc(&b, 1, 1, EIT0);
	cr_assert_str_eq(kind_of(&b, EIT0), "psip");
	cr_assert_str_eq(kind_of(&b, PSIP), "psip");
	/* a damaged MGT may list the PID of a component */
	run_atsc(&b, 1, 1, VIDEO);
	cr_assert_null(kind_of(&b, EIT0));
	cr_assert_str_eq(kind_of(&b, VIDEO), "another");
	done(&b);
}

/* Without tables of A/65 the PID is any other one, as DVB has it. */
Test(monitor_atsc, the_base_pid_has_tables_of_atsc)
{
	static const uint8_t body[] = { 0, 0 };
	struct bench b;

	setup(&b);
	for (unsigned i = 0; i < 30; i++) {
		add_table(&b, PSIP, 0x42, body, sizeof body);
		for (int k = 0; k < 5; k++)
			step(&b, NULL);
		if (i % 10 == 9)
			(void)monitor_second(b.monitor, &b.counts,
					     START + b.ms * MS, b.ms);
	}
	only(&b, ALARM_UNREFERENCED_PID, ALARM_COUNT);
	done(&b);
}

/* ISO/IEC 13818-1: program 0 of the PAT is the PID of the NIT. */
Test(monitor_atsc, the_pat_refers_to_the_nit)
{
	static const struct build_entry programs[] = { { 0, NETWORK },
						       { 1, PMT } };
	static const uint8_t body[] = { 0xf0, 0, 0xf0, 0 };
	uint8_t section[SECTION_PSI_MAX];
	struct bench b;

	setup(&b);
	run(&b, 1, NULL);
	b.no_tables = true;
	for (unsigned i = 0; i < 40; i++) {
		static const struct build_es streams[] = {
			{ 0x1b, VIDEO, NULL, 0 }, { 0x04, AUDIO, NULL, 0 },
		};

		build_section(b.build, 0, section,
			      build_pat(section, 3, programs, 2));
		build_section(b.build, PMT, section,
			      build_pmt(section, (struct build_entry){
					1, VIDEO }, 0, streams, 2));
		add_table(&b, NETWORK, NIT, body, sizeof body);
		for (int k = 0; k < 5; k++)
			step(&b, NULL);
		if (i % 10 == 9)
			(void)monitor_second(b.monitor, &b.counts,
					     START + b.ms * MS, b.ms);
	}
	only(&b, ALARM_COUNT, ALARM_COUNT);
	cr_assert_eq(count(&b, ALARM_UNREFERENCED_PID), 0u);
	done(&b);
}

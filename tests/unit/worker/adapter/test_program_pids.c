/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/program_pids.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>

enum { PROGRAMS = 150, TABLES = 6, FIRST = 100, MAX = 128 };

static const struct ca_refs no_emms;

/* A PAT whose programs have their PMTs on PIDs in a row. */
static struct psi *follow_pat(void)
{
	struct build_entry programs[PROGRAMS];
	uint8_t section[SECTION_PSI_MAX];
	struct build *b = build_new();
	struct psi *psi = psi_new();

	for (uint16_t i = 0; i < PROGRAMS; i++)
		programs[i] = (struct build_entry){ (uint16_t)(1 + i),
						    (uint16_t)(FIRST + i) };
	build_section(b, 0, section,
		      build_pat(section, 0, programs, PROGRAMS));
	for (size_t i = 0; i < b->n; i++)
		(void)psi_feed(psi, build_packet(b, i));
	build_free(b);
	return psi;
}

Test(program_pids, counts_those_that_find_no_place)
{
	static const struct msg_adapter_programs all = { .all = true };
	struct psi *psi = follow_pat();
	uint16_t pids[MAX + 1];

	pids[MAX] = 1;
	cr_assert_eq(program_pids(psi, &no_emms, &all, false, pids, MAX),
		     PROGRAMS + TABLES);
	cr_assert_eq(pids[TABLES - 1], 20);
	for (size_t i = TABLES; i < MAX; i++)
		cr_assert_eq(pids[i], FIRST + i - TABLES);
	cr_assert_eq(pids[MAX], 1);
	psi_free(&psi);
	psi = psi_new();
	cr_assert_eq(program_pids(psi, &no_emms, &all, false, pids, MAX),
		     TABLES);
	psi_free(&psi);
}

/* A program with ECMs, and a PCR of its own PID. */
static struct psi *follow_program(void)
{
	static const struct build_es streams[] = {
		{ 2, 0x111, "\x09\x04\x0b\x00\xe3\x33", 6 },
		{ 4, 0x112, NULL, 0 },
	};
	const struct build_entry programs[] = { { 1, 0x100 }, { 2, 0x200 } };
	uint8_t section[SECTION_PSI_MAX];
	struct build *b = build_new();
	struct psi *psi = psi_new();

	build_section(b, 0, section, build_pat(section, 0, programs, 2));
	build_section(b, 0x100, section,
		      build_pmt(section, programs[0], 0, streams, 2));
	for (size_t i = 0; i < b->n; i++)
		(void)psi_feed(psi, build_packet(b, i));
	build_free(b);
	return psi;
}

static size_t count(const struct psi *psi, struct msg_adapter_programs wanted)
{
	uint16_t pids[MAX];

	return program_pids(psi, &no_emms, &wanted, false, pids, MAX) - TABLES;
}

Test(program_pids, has_those_of_the_wanted_programs)
{
	struct psi *psi = follow_program();
	struct msg_adapter_programs one = { .n = 1, .numbers = { 1 } };
	uint16_t pids[MAX];

	cr_assert_eq(count(psi, (struct msg_adapter_programs){ 0 }), 0u);
	cr_assert_eq(count(psi, (struct msg_adapter_programs){
		.tables = true }), 2u);
	cr_assert_eq(count(psi, (struct msg_adapter_programs){
		.n = 1, .numbers = { 2 } }), 1u, "its PMT is not known yet");
	cr_assert_eq(program_pids(psi, &no_emms, &one, false, pids, MAX),
		     TABLES + 4u);
	cr_assert_eq(pids[TABLES], 0x100);
	cr_assert_eq(pids[TABLES + 1], 0x111);
	cr_assert_eq(pids[TABLES + 2], 0x112);
	cr_assert_eq(pids[TABLES + 3], 0x333, "the ECMs");
	psi_free(&psi);
}

/* The PAT may name another PID than 16 for the NIT. */
Test(program_pids, has_the_network_pid_of_the_pat)
{
	static const struct build_entry programs[] = { { 0, 0x1f0 },
						       { 1, 0x100 } };
	uint8_t section[SECTION_PSI_MAX];
	struct build *b = build_new();
	struct psi *psi = psi_new();
	uint16_t pids[MAX];

	build_section(b, 0, section, build_pat(section, 0, programs, 2));
	for (size_t i = 0; i < b->n; i++)
		(void)psi_feed(psi, build_packet(b, i));
	cr_assert_eq(program_pids(psi, &no_emms,
				  &(struct msg_adapter_programs){ 0 }, false,
				  pids, MAX), TABLES + 1u);
	cr_assert_eq(pids[TABLES], 0x1f0);
	build_free(b);
	psi_free(&psi);
}

/* Also before a table is known. */
Test(program_pids, has_those_that_streams_name)
{
	struct msg_adapter_programs wanted = { .n = 1, .numbers = { 2 },
					       .n_pids = 2,
					       .pids = { 0x112, 0x555 } };
	struct psi *psi = follow_program();
	uint16_t pids[MAX];

	cr_assert_eq(count(psi, wanted), 3u);
	cr_assert_eq(program_pids(psi, &no_emms, &wanted, false, pids, MAX),
		     TABLES + 3u);
	cr_assert_eq(pids[TABLES], 0x112);
	cr_assert_eq(pids[TABLES + 1], 0x200);
	cr_assert_eq(pids[TABLES + 2], 0x555);
	wanted.numbers[0] = 1;
	cr_assert_eq(count(psi, wanted), 5u, "a PID counts once");
	psi_free(&psi);
	psi = psi_new();
	cr_assert_eq(count(psi, wanted), 2u);
	psi_free(&psi);
}

Test(program_pids, wanted_programs_come_before_the_tables_of_others)
{
	struct psi *psi = follow_pat();
	struct msg_adapter_programs last = { .tables = true, .n = 1,
					     .numbers = { PROGRAMS } };
	uint16_t pids[MAX + 1];

	pids[MAX] = 1;
	cr_assert_eq(program_pids(psi, &no_emms, &last, false, pids, MAX),
		     PROGRAMS + TABLES);
	cr_assert_eq(pids[MAX - 1], FIRST + PROGRAMS - 1);
	for (size_t i = TABLES; i < MAX - 1; i++)
		cr_assert_eq(pids[i], FIRST + i - TABLES);
	cr_assert_eq(pids[MAX], 1);
	psi_free(&psi);
}

Test(program_pids, has_emms_of_the_systems_of_wanted_programs)
{
	static const struct ca_refs emms = { .n = 3, .list = {
		{ .caid = 0x0b00, .pid = 0x444 },
		{ .caid = 0x0500, .pid = 0x445 },
		{ .caid = 0x0b00, .pid = 0x446 },
	} };
	struct psi *psi = follow_program();
	struct msg_adapter_programs one = { .n = 1, .numbers = { 1 } };
	struct msg_adapter_programs other = { .n = 1, .numbers = { 2 } };
	uint16_t pids[MAX];

	cr_assert_eq(program_pids(psi, &emms, &other, false, pids, MAX),
		     TABLES + 1u);
	cr_assert_eq(program_pids(psi, &emms, &one, false, pids, MAX),
		     TABLES + 6u);
	cr_assert_eq(pids[TABLES + 4], 0x444);
	cr_assert_eq(pids[TABLES + 5], 0x446);
	/* programs have the first places */
	cr_assert_eq(program_pids(psi, &emms, &one, false, pids, TABLES + 5),
		     TABLES + 6u);
	cr_assert_eq(pids[TABLES + 3], 0x333);
	cr_assert_eq(pids[TABLES + 4], 0x444);
	cr_assert_eq(program_pids(psi, &emms, &one, false, pids, TABLES + 4),
		     TABLES + 6u);
	cr_assert_eq(pids[TABLES + 3], 0x333);
	psi_free(&psi);
}

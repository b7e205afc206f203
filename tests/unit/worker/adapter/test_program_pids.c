/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/program_pids.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>

enum { PROGRAMS = 150, TABLES = 6, FIRST = 100, MAX = 128 };

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
	struct psi *psi = follow_pat();
	uint16_t pids[MAX + 1];

	pids[MAX] = 1;
	cr_assert_eq(program_pids(psi, pids, MAX), PROGRAMS + TABLES);
	cr_assert_eq(pids[TABLES - 1], 20);
	for (size_t i = TABLES; i < MAX; i++)
		cr_assert_eq(pids[i], FIRST + i - TABLES);
	cr_assert_eq(pids[MAX], 1);
	psi_free(&psi);
	psi = psi_new();
	cr_assert_eq(program_pids(psi, pids, MAX), TABLES);
	psi_free(&psi);
}

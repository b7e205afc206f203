/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest tables: a PAT of many sections, long sections beside a PMT. */
#include "worker/ts/psi.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pat.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <malloc.h>

static const struct build_es av[] = {
	{ 0x1b, 0x101, "", 0 },
	{ 0x03, 0x102, "", 0 },
	{ 0x06, 0x103, "\x56\5fra\x10\1", 7 },
};

struct rig {
	struct psi *psi;
	struct build *build;
	size_t fed;
	unsigned changes; /* number of true results of psi_feed() */
};

static struct rig rig_new(void)
{
	return (struct rig){ .psi = psi_new(), .build = build_new() };
}

static void rig_done(struct rig *rig)
{
	psi_free(&rig->psi);
	build_free(rig->build);
}

static void feed(struct rig *rig)
{
	for (; rig->fed < rig->build->n; rig->fed++)
		rig->changes += psi_feed(rig->psi,
					 build_packet(rig->build, rig->fed));
	cr_assert_eq(rig->changes, psi_changes(rig->psi));
}

static void put_pmt(struct rig *rig, uint16_t pid, struct build_entry program,
		    uint8_t version, const struct build_es *es, size_t n)
{
	uint8_t section[1024];

	build_section(rig->build, pid, section,
		      build_pmt(section, program, version, es, n));
}

enum { LONG_PMT = 0x500 };

/* Sections from `from` to `to` of a PAT with n sections.  Each has `each`
 * programs, numbered from 1 on, all with the PMT PID LONG_PMT. */
static void put_sections(struct rig *rig, uint8_t version, unsigned n,
			 unsigned from, unsigned to, unsigned each)
{
	struct build_entry entries[PAT_PROGRAMS_MAX];
	uint8_t section[1024];

	for (unsigned i = from; i <= to; i++) {
		size_t len;

		for (unsigned k = 0; k < each; k++)
			entries[k] = (struct build_entry){
				(uint16_t)(1 + i * each + k), LONG_PMT,
			};
		len = build_pat(section, version, entries, each);
		section[6] = (uint8_t)i;
		section[7] = (uint8_t)(n - 1);
		build_mend_crc(section, len);
		build_section(rig->build, TS_PID_PAT, section, len);
	}
}

Test(psi_long, a_pat_may_have_256_sections_that_are_not_full)
{
	static const unsigned sizes[] = { 5, 32, 33, 255, 256 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct rig rig = rig_new();
		const struct psi_program *programs;
		const struct psi_section *pat;
		unsigned n = sizes[i];

		/* begins in the middle, as a receiver that tunes in */
		put_sections(&rig, 3, n, n / 2, n - 1, 1);
		feed(&rig);
		cr_assert_eq(rig.changes, 0);
		put_sections(&rig, 3, n, 0, n / 2, 1);
		put_pmt(&rig, LONG_PMT, (struct build_entry){ 2, 0x101 }, 0,
			av, 3);
		feed(&rig);
		cr_assert_eq(rig.changes, 2);
		cr_assert_eq(psi_pat(rig.psi, &pat), n);
		cr_assert_eq(pat[n - 1].data[6], n - 1);
		cr_assert_eq(psi_programs(rig.psi, &programs), n);
		cr_assert(psi_has_pmt(rig.psi));
		cr_assert_eq(psi_main_program(rig.psi)->number, 2);

		/* repeated sections change nothing */
		put_sections(&rig, 3, n, 0, n - 1, 1);
		feed(&rig);
		cr_assert_eq(rig.changes, 2);
		cr_assert_eq(psi_broken(rig.psi), 0);
		rig_done(&rig);
	}
}

Test(psi_long, the_old_pat_is_valid_until_the_new_version_is_whole)
{
	struct rig rig = rig_new();
	const struct psi_section *pat;

	put_sections(&rig, 0, 256, 0, 255, 1);
	feed(&rig);
	cr_assert_eq(rig.changes, 1);

	/* the version changes at the middle of a round */
	put_sections(&rig, 0, 256, 0, 127, 1);
	put_sections(&rig, 1, 256, 128, 255, 2);
	put_sections(&rig, 1, 256, 0, 126, 2);
	feed(&rig);
	cr_assert_eq(rig.changes, 1);
	cr_assert_not_null(psi_program_find(rig.psi, 256));
	put_sections(&rig, 1, 256, 127, 127, 2);
	feed(&rig);
	cr_assert_eq(rig.changes, 2);
	cr_assert_eq(psi_pat(rig.psi, &pat), 256);
	cr_assert_eq(pat[200].data[5] >> 1 & 0x1f, 1);

	/* one section of the next version has fewer sections */
	put_sections(&rig, 2, 1, 0, 0, 3);
	feed(&rig);
	cr_assert_eq(rig.changes, 3);
	cr_assert_eq(psi_pat(rig.psi, &pat), 1);
	cr_assert_null(psi_program_find(rig.psi, 4));
	rig_done(&rig);
}

Test(psi_long, the_wanted_program_is_followed_behind_all_others)
{
	struct rig rig = rig_new();
	const struct psi_program *programs;
	const unsigned each = PAT_PROGRAMS_MAX;

	psi_want(rig.psi, 20 * PAT_PROGRAMS_MAX);
	put_sections(&rig, 0, 40, 0, 39, each);
	put_pmt(&rig, LONG_PMT,
		(struct build_entry){ 20 * PAT_PROGRAMS_MAX, 0x101 }, 0, av,
		3);
	feed(&rig);
	cr_assert_eq(psi_programs(rig.psi, &programs), PSI_PROGRAMS_MAX);
	cr_assert_eq(programs[PSI_PROGRAMS_MAX - 1].number,
		     20 * PAT_PROGRAMS_MAX);
	cr_assert(psi_has_pmt(rig.psi));
	cr_assert_eq(psi_ignored(rig.psi), 40 * each - PSI_PROGRAMS_MAX);
	put_sections(&rig, 1, 1, 0, 0, each);
	feed(&rig);
	cr_assert_eq(psi_ignored(rig.psi), 0u);
	rig_done(&rig);
}

/* The largest PATs, whose content changes in each round. */
Test(psi_long, the_memory_of_a_pat_is_bounded)
{
	const size_t most = 2 * PSI_PAT_SECTIONS_MAX * (SECTION_PSI_MAX + 32) +
			    (64 << 10);
	struct rig rig = rig_new();
	size_t before = mallinfo2().uordblks;

	for (unsigned round = 0; round < 40; round++) {
		rig.build->n = rig.fed = 0;
		put_sections(&rig, (uint8_t)(round % 32), 256, 0,
			     round % 4 == 3 ? 254 : 255,
			     PAT_PROGRAMS_MAX - round % 3);
		feed(&rig);
		cr_assert_leq(mallinfo2().uordblks - before, most);
	}
	psi_reset(rig.psi);
	cr_assert_leq(mallinfo2().uordblks - before, 64 << 10);
	rig.changes = 0;
	rig_done(&rig);
}

Test(psi_long, long_private_sections_beside_a_pmt_are_no_errors)
{
	static const struct build_entry entry = { 1, 0x100 };
	struct rig rig = rig_new();
	uint8_t body[SECTION_MAX] = { 0 }, section[SECTION_MAX];
	const size_t len = build_table(section, &(struct build_table){
		.table_id = 0x80, .body = body, .len = SECTION_MAX - 12,
	});

	build_section(rig.build, TS_PID_PAT, body,
		      build_pat(body, 0, &entry, 1));
	for (uint8_t i = 0; i < 20; i++) {
		build_section(rig.build, 0x100, section, len);
		put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x101 }, i, av,
			3);
	}
	feed(&rig);
	cr_assert_eq(rig.changes, 1 + 20);
	cr_assert_eq(psi_broken(rig.psi) + psi_crc_errors(rig.psi), 0);
	rig_done(&rig);
}

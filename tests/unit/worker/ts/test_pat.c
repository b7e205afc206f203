/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pat.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

Test(pat, decodes_programs_and_the_network_pid)
{
	static const struct build_entry entries[] = {
		{ 0, 0x10 }, { 1, 0x100 }, { 65535, 0x1ffe }
	};
	uint8_t section[1024];
	struct pat pat;
	size_t len = build_pat(section, 9, entries, 3);

	cr_assert_eq(pat_decode(section, len, &pat), 0);
	cr_assert_eq(pat.tsid, 7);
	cr_assert_eq(pat.version, 9);
	cr_assert(pat.current);
	cr_assert_eq(pat.network_pid, 0x10);
	cr_assert_eq(pat.n_programs, 2);
	cr_assert_eq(pat.programs[0].number, 1);
	cr_assert_eq(pat.programs[0].pmt_pid, 0x100);
	cr_assert_eq(pat.programs[1].number, 65535);
	cr_assert_eq(pat.programs[1].pmt_pid, 0x1ffe);
}

Test(pat, holds_the_most_programs_of_a_section)
{
	struct build_entry entries[PAT_PROGRAMS_MAX];
	uint8_t section[1024];
	struct pat pat;

	for (size_t i = 0; i < PAT_PROGRAMS_MAX; i++)
		entries[i] = (struct build_entry){ (uint16_t)(i + 1),
						   (uint16_t)(i + 0x20) };

	size_t len = build_pat(section, 0, entries, PAT_PROGRAMS_MAX);

	cr_assert_eq(len, 1024);
	cr_assert_eq(pat_decode(section, len, &pat), 0);
	cr_assert_eq(pat.n_programs, PAT_PROGRAMS_MAX);
	cr_assert_eq(pat.programs[252].pmt_pid, 0x20 + 252);
}

Test(pat, ignores_entries_with_reserved_pids)
{
	static const struct build_entry entries[] = {
		{ 1, 0 }, { 2, 0x0f }, { 3, 0x1fff }, { 4, 0x10 }
	};
	uint8_t section[1024];
	struct pat pat;
	size_t len = build_pat(section, 0, entries, 4);

	cr_assert_eq(pat_decode(section, len, &pat), 0);
	cr_assert_eq(pat.n_programs, 1);
	cr_assert_eq(pat.programs[0].number, 4);
}

Test(pat, rejects_a_section_that_is_not_a_whole_pat)
{
	static const struct build_entry entries[] = { { 1, 0x100 } };
	uint8_t section[1024], damaged[1024];
	struct pat pat;
	size_t len = build_pat(section, 0, entries, 1);
	static const struct {
		size_t at;
		uint8_t value;
	} damages[] = {
		{ 0, 2 },    /* another table */
		{ 1, 0x30 }, /* no long header */
		{ 2, 12 },   /* another length */
		{ 2, 14 },
		{ 6, 1 },    /* section 1 of 0 */
	};

	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		memcpy(damaged, section, len);
		damaged[damages[i].at] = damages[i].value;
		cr_expect_eq(pat_decode(damaged, len, &pat), -EBADMSG,
			     "damage %zu", i);
	}
	for (size_t cut = 0; cut < len; cut++)
		cr_expect_eq(pat_decode(section, cut, &pat), -EBADMSG);

	/* consistent, but with half an entry */
	section[2] = (uint8_t)(section[2] - 2);
	cr_expect_eq(pat_decode(section, len - 2, &pat), -EBADMSG);
}

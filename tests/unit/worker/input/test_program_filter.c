/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/program_filter.h"

#include "common/base/util.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>

enum { PMT1 = 0x100, PMT2 = 0x200, VIDEO = 0x101, AUDIO = 0x102, ECM = 0x333 };

static const struct build_entry two[] = { { 1, PMT1 }, { 2, PMT2 } };
static const struct build_es video = { 0x1b, VIDEO, NULL, 0 };

struct bench {
	struct build *build;
	struct program_filter *filter;
	size_t fed;
};

static struct bench setup(struct program_choice choice)
{
	return (struct bench){ build_new(), program_filter_new(&choice), 0 };
}

static void done(struct bench *b)
{
	program_filter_free(&b->filter);
	build_free(b->build);
}

static bool has(const struct bench *b, uint16_t pid)
{
	return program_filter_marks(b->filter)[pid] != 0;
}

/* Feeds the packets that were built since, as an input does. */
static void feed(struct bench *b)
{
	for (; b->fed < b->build->n; b->fed++) {
		const uint8_t *p = build_packet(b->build, b->fed);

		if (program_filter_marks(b->filter)[ts_pid(p)] == PROGRAM_TABLE)
			program_filter_feed(b->filter, p);
	}
}

static void pat(struct bench *b, uint8_t version, const struct build_entry *e,
		size_t n)
{
	uint8_t section[SECTION_PSI_MAX];

	build_section(b->build, TS_PID_PAT, section,
		      build_pat(section, version, e, n));
	feed(b);
}

static void pmt(struct bench *b, struct build_entry entry, uint8_t version,
		const struct build_es *streams, size_t n)
{
	uint8_t section[SECTION_PSI_MAX];

	build_section(b->build, entry.pid, section,
		      build_pmt(section, (struct build_entry){ entry.number,
							       VIDEO },
				version, streams, n));
	feed(b);
}

Test(program_filter, chooses_what_one_program_needs)
{
	static const struct build_es streams[] = {
		{ 0x1b, VIDEO, "\x09\x04\x0b\x00\xe3\x33", 6 },
		{ 0x04, AUDIO, NULL, 0 },
	};
	const struct build_entry list[] = { { 0, 0x40 }, { 1, PMT1 },
					    { 2, PMT2 } };
	struct bench b = setup((struct program_choice){
		.number = 1, .pids = { 0x444, 0x445 } });

	/* everything, as long as nothing is known */
	cr_assert(has(&b, PMT2) && has(&b, VIDEO) && has(&b, TS_PID_NULL));
	pat(&b, 0, list, 3);
	cr_assert(has(&b, PMT1) && !has(&b, PMT2) && !has(&b, VIDEO));
	cr_assert(!has(&b, TS_PID_NULL));
	pmt(&b, two[0], 0, streams, 2);
	pmt(&b, two[1], 0, &(struct build_es){ 0x1b, 0x201, NULL, 0 }, 1);
	for (uint16_t pid = 0; pid < TS_PIDS; pid++)
		cr_assert_eq(has(&b, pid),
			     pid < 0x20 || pid == 0x40 || pid == PMT1 ||
				     pid == 0x1ffb ||
				     pid == VIDEO || pid == AUDIO ||
				     pid == ECM || pid == 0x444 || pid == 0x445,
			     "%u", pid);
	done(&b);
}

Test(program_filter, chooses_all_of_a_source_with_one_program)
{
	struct bench b = setup((struct program_choice){ .number = 1 });

	pat(&b, 0, two, 1);
	pmt(&b, two[0], 0, &video, 1);
	cr_assert(has(&b, 0x300) && has(&b, TS_PID_NULL));
	pat(&b, 1, two, 2);
	cr_assert(!has(&b, 0x300) && has(&b, VIDEO));
	done(&b);
}

Test(program_filter, follows_each_pmt)
{
	static const struct build_es more[] = {
		{ 0x1b, VIDEO, NULL, 0 }, { 0x04, AUDIO, NULL, 0 },
	};
	struct bench b = setup((struct program_choice){ .number = 1 });

	pat(&b, 0, two, 2);
	pmt(&b, two[0], 0, &video, 1);
	cr_assert(has(&b, VIDEO) && !has(&b, AUDIO));
	pmt(&b, two[0], 1, more, 2);
	cr_assert(has(&b, VIDEO) && has(&b, AUDIO));
	pmt(&b, two[0], 2, &video, 1);
	cr_assert(!has(&b, AUDIO));
	done(&b);
}

Test(program_filter, keeps_the_pids_while_a_pmt_moves)
{
	const struct build_entry moved[] = { { 1, 0x110 }, { 2, PMT2 } };
	struct bench b = setup((struct program_choice){ .number = 1 });

	pat(&b, 0, two, 2);
	pmt(&b, two[0], 0, &video, 1);
	pat(&b, 1, moved, 2);
	cr_assert(has(&b, VIDEO) && has(&b, 0x110) && !has(&b, PMT1));
	pmt(&b, moved[0], 0, &(struct build_es){ 0x1b, 0x120, NULL, 0 }, 1);
	cr_assert(has(&b, 0x120));
	/* without the program only the tables remain */
	pat(&b, 2, (const struct build_entry[]){ { 3, 0x300 }, { 2, PMT2 } },
	    2);
	cr_assert(!has(&b, 0x120) && !has(&b, PMT2) && has(&b, 0x11));
	done(&b);
}

Test(program_filter, has_emms_and_other_pmts_on_request)
{
	static const char emm[] = "\x09\x04\x0b\x00\xe4\x44";
	struct program_choice choice = { .number = 1 };
	struct build_table cat = { .table_id = 1, .extension = 0xffff,
				   .body = emm, .len = 6 };
	struct bench b = setup(choice);
	uint8_t section[SECTION_PSI_MAX];

	pat(&b, 0, two, 2);
	build_section(b.build, 1, section, build_table(section, &cat));
	feed(&b);
	cr_assert(!has(&b, 0x444) && !has(&b, PMT2));
	choice.tables = true;
	choice.emms = true;
	program_filter_change(b.filter, &choice);
	cr_assert(has(&b, PMT2));
	build_section(b.build, 1, section, build_table(section, &cat));
	feed(&b);
	cr_assert(has(&b, 0x444));
	choice.tables = choice.emms = false;
	program_filter_change(b.filter, &choice);
	cr_assert(!has(&b, 0x444) && !has(&b, PMT2) && has(&b, PMT1));
	done(&b);
}

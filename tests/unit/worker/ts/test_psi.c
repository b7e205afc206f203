/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/psi.h"

#include "tests/unit/worker/ts/build.h"
#include "worker/ts/section.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct build_es av[] = {
	{ 0x1b, 0x101, "", 0 },
	{ 0x03, 0x102, "", 0 },
	{ 0x06, 0x103, "\x56\5fra\x10\1", 7 },
};
static const struct build_es other_av[] = {
	{ 0x02, 0x201, "", 0 },
	{ 0x81, 0x202, "", 0 },
	{ 0x81, 0x203, "", 0 },
};
static const struct build_es radio[] = { { 0x03, 0x301, "", 0 } };

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

static void put_pat(struct rig *rig, uint8_t version,
		    const struct build_entry *entries, size_t n)
{
	uint8_t section[1024];
	size_t len = build_pat(section, version, entries, n);

	build_section(rig->build, TS_PID_PAT, section, len);
}

static void put_pmt(struct rig *rig, uint16_t pid, struct build_entry program,
		    uint8_t version, const struct build_es *es, size_t n)
{
	uint8_t section[1024];
	size_t len = build_pmt(section, program, version, es, n);

	build_section(rig->build, pid, section, len);
}

/* Programs 1 (television), 2 (television) and 3 (radio). */
static void put_multiplex(struct rig *rig)
{
	static const struct build_entry entries[] = {
		{ 0, 0x10 }, { 3, 0x300 }, { 1, 0x100 }, { 2, 0x200 }
	};

	put_pat(rig, 0, entries, 4);
	put_pmt(rig, 0x100, (struct build_entry){ 1, 0x101 }, 0, av, 3);
	put_pmt(rig, 0x200, (struct build_entry){ 2, 0x201 }, 0, other_av, 3);
	put_pmt(rig, 0x300, (struct build_entry){ 3, 0x301 }, 0, radio, 1);
}

Test(psi, has_no_tables_at_first)
{
	struct rig rig = rig_new();
	const struct psi_program *programs;
	const struct psi_section *pat;

	cr_assert(!psi_has_pat(rig.psi) && !psi_has_pmt(rig.psi));
	cr_assert_eq(psi_programs(rig.psi, &programs), 0);
	cr_assert_eq(psi_pat(rig.psi, &pat), 0);
	cr_assert_null(psi_main_program(rig.psi));
	cr_assert_eq(psi_main_pid(rig.psi), TS_PID_NULL);
	cr_assert_eq(psi_class(rig.psi, TS_PID_PAT), PID_PSI);
	rig_done(&rig);
}

Test(psi, learns_all_programs_of_a_multiplex)
{
	struct rig rig = rig_new();
	const struct psi_program *programs;

	put_multiplex(&rig);
	feed(&rig);
	cr_assert_eq(rig.changes, 4);
	cr_assert_eq(psi_tsid(rig.psi), 7);
	cr_assert_eq(psi_programs(rig.psi, &programs), 3);
	cr_assert_eq(programs[0].number, 3);
	cr_assert_eq(psi_video_count(rig.psi), 2);
	cr_assert_eq(psi_audio_count(rig.psi), 4);
	cr_assert_eq(psi_class(rig.psi, 0x100), PID_PSI);
	cr_assert_eq(psi_class(rig.psi, 0x101), PID_VIDEO);
	cr_assert_eq(psi_class(rig.psi, 0x103), PID_TELETEXT);
	cr_assert_eq(psi_class(rig.psi, 0x203), PID_AUDIO);
	cr_assert_eq(psi_class(rig.psi, 0x104), PID_UNKNOWN);
	cr_assert_eq(psi_stream_type(rig.psi, 0x101), 0x1b);
	cr_assert_eq(psi_stream_type(rig.psi, 0x104), 0);

	/* the first program with video, although the radio program is listed
	 * before */
	cr_assert_eq(psi_main_program(rig.psi)->number, 1);
	cr_assert_eq(psi_main_pid(rig.psi), 0x101);
	cr_assert_eq(psi_main_program(rig.psi)->pcr_pid, 0x101);
	cr_assert_eq(psi_program_find(rig.psi, 2)->audio_pid, 0x202);
	cr_assert_null(psi_program_find(rig.psi, 4));
	rig_done(&rig);
}

Test(psi, radio_is_followed_by_its_audio)
{
	static const struct build_entry entry = { 3, 0x300 };
	struct rig rig = rig_new();

	put_pat(&rig, 0, &entry, 1);
	put_pmt(&rig, 0x300, (struct build_entry){ 3, 0x1fff }, 0, radio, 1);
	feed(&rig);
	cr_assert_eq(psi_main_pid(rig.psi), 0x301);
	cr_assert_eq(psi_main_program(rig.psi)->video_pid, TS_PID_NULL);
	cr_assert_eq(psi_main_program(rig.psi)->pcr_pid, TS_PID_NULL);
	rig_done(&rig);
}

Test(psi, repetition_is_no_change)
{
	struct rig rig = rig_new();

	for (int i = 0; i < 5; i++)
		put_multiplex(&rig);
	feed(&rig);
	cr_assert_eq(rig.changes, 4);
	rig_done(&rig);
}

Test(psi, follows_a_new_version_of_a_pmt)
{
	struct rig rig = rig_new();

	put_multiplex(&rig);
	put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x401 }, 1,
		(struct build_es[]){ { 0x24, 0x401, "", 0 } }, 1);
	feed(&rig);
	cr_assert_eq(rig.changes, 5);
	cr_assert_eq(psi_main_pid(rig.psi), 0x401);
	cr_assert_eq(psi_stream_type(rig.psi, 0x401), 0x24);
	cr_assert_eq(psi_class(rig.psi, 0x101), PID_UNKNOWN);
	cr_assert_eq(psi_audio_count(rig.psi), 3);
	rig_done(&rig);
}

Test(psi, follows_a_change_without_a_new_version)
{
	struct rig rig = rig_new();

	put_multiplex(&rig);
	put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x101 }, 0, av, 1);
	feed(&rig);
	cr_assert_eq(rig.changes, 5);
	cr_assert_eq(psi_class(rig.psi, 0x102), PID_UNKNOWN);
	rig_done(&rig);
}

Test(psi, follows_a_pmt_to_another_pid)
{
	static const struct build_entry before = { 1, 0x100 };
	static const struct build_entry after = { 1, 0x150 };
	struct rig rig = rig_new();

	put_pat(&rig, 0, &before, 1);
	put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x101 }, 0, av, 3);
	put_pat(&rig, 1, &after, 1);
	feed(&rig);
	cr_assert(!psi_has_pmt(rig.psi));
	cr_assert_eq(psi_class(rig.psi, 0x100), PID_UNKNOWN);
	cr_assert_eq(psi_class(rig.psi, 0x150), PID_PSI);

	/* the old PID is no longer listened to */
	put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x101 }, 1, av, 2);
	feed(&rig);
	cr_assert(!psi_has_pmt(rig.psi));
	put_pmt(&rig, 0x150, (struct build_entry){ 1, 0x101 }, 0, av, 3);
	feed(&rig);
	cr_assert_eq(psi_main_pid(rig.psi), 0x101);
	rig_done(&rig);
}

Test(psi, drops_a_program_with_its_pids_and_keeps_the_others)
{
	static const struct build_entry left[] = { { 2, 0x200 } };
	struct rig rig = rig_new();
	const struct psi_program *programs;

	put_multiplex(&rig);
	put_pat(&rig, 1, left, 1);
	feed(&rig);
	cr_assert_eq(psi_programs(rig.psi, &programs), 1);
	cr_assert_eq(psi_class(rig.psi, 0x100), PID_UNKNOWN);
	cr_assert_eq(psi_class(rig.psi, 0x101), PID_UNKNOWN);
	/* its PMT is still known */
	cr_assert_eq(psi_main_pid(rig.psi), 0x201);
	cr_assert_eq(psi_video_count(rig.psi), 1);
	rig_done(&rig);
}

Test(psi, a_broken_table_changes_nothing)
{
	struct rig rig = rig_new();
	uint8_t section[1024];

	put_multiplex(&rig);

	size_t len = build_pmt(section, (struct build_entry){ 1, 0x101 }, 1,
			       av, 1);

	section[20] ^= 0x10; /* wrong CRC_32 */
	build_section(rig.build, 0x100, section, len);
	section[16] = 0xff; /* right CRC_32, loop past the end */
	build_mend_crc(section, len);
	build_section(rig.build, 0x100, section, len);
	len = build_pat(section, 1, NULL, 0);
	section[6] = 3; /* section 3 of 0 */
	build_mend_crc(section, len);
	build_section(rig.build, TS_PID_PAT, section, len);
	feed(&rig);
	cr_assert_eq(rig.changes, 4);
	cr_assert_eq(psi_crc_errors(rig.psi), 1);
	cr_assert_eq(psi_broken(rig.psi), 2);
	cr_assert_eq(psi_main_pid(rig.psi), 0x101);
	cr_assert_eq(psi_class(rig.psi, 0x102), PID_AUDIO);
	rig_done(&rig);
}

Test(psi, waits_for_all_sections_of_a_pat)
{
	static const struct build_entry entries[] = { { 1, 0x100 },
						      { 2, 0x200 } };
	struct rig rig = rig_new();
	const struct psi_program *programs;
	const struct psi_section *pat;
	uint8_t section[1024];

	for (uint8_t i = 0; i < 2; i++) {
		size_t len = build_pat(section, 4, &entries[i], 1);

		section[6] = i;
		section[7] = 1;
		build_mend_crc(section, len);
		cr_assert(!psi_has_pat(rig.psi));
		build_section(rig.build, TS_PID_PAT, section, len);
		feed(&rig);
	}
	cr_assert_eq(rig.changes, 1);
	cr_assert_eq(psi_programs(rig.psi, &programs), 2);
	cr_assert_eq(psi_pat(rig.psi, &pat), 2);
	cr_assert_eq(pat[1].len, 16);
	cr_assert_eq(memcmp(pat[1].data, section, 16), 0);
	rig_done(&rig);
}

Test(psi, an_incomplete_pat_changes_nothing)
{
	static const struct build_entry entry = { 1, 0x100 };
	struct rig rig = rig_new();
	uint8_t section[1024];

	put_pat(&rig, 0, &entry, 1);

	size_t len = build_pat(section, 1, NULL, 0);

	section[7] = 2; /* the first of three */
	build_mend_crc(section, len);
	build_section(rig.build, TS_PID_PAT, section, len);
	put_pat(&rig, 0, &entry, 1);
	put_pat(&rig, 0, &entry, 1);
	feed(&rig);
	cr_assert_eq(rig.changes, 1);
	cr_assert_not_null(psi_program_find(rig.psi, 1));
	rig_done(&rig);
}

Test(psi, ignores_other_tables_and_other_pids)
{
	static const uint8_t other[] = { 0xfc, 0x30, 3, 1, 2, 3 };
	struct rig rig = rig_new();

	put_multiplex(&rig);
	build_section(rig.build, TS_PID_PAT, other, sizeof other);
	build_section(rig.build, 0x100, other, sizeof other);
	build_payload(rig.build, 0x777, 1);
	feed(&rig);
	cr_assert_eq(rig.changes, 4);
	cr_assert_eq(psi_broken(rig.psi) + psi_crc_errors(rig.psi), 0);
	rig_done(&rig);
	psi_free(&rig.psi); /* NULL by now */
}

Test(psi, ignores_a_table_that_is_not_yet_in_force)
{
	struct rig rig = rig_new();
	uint8_t section[1024];
	size_t len;

	put_multiplex(&rig);
	len = build_pmt(section, (struct build_entry){ 1, 0x101 }, 1, av, 1);
	section[5] &= 0xfe; /* current_next_indicator */
	build_mend_crc(section, len);
	build_section(rig.build, 0x100, section, len);
	len = build_pat(section, 1, NULL, 0);
	section[5] &= 0xfe;
	build_mend_crc(section, len);
	build_section(rig.build, TS_PID_PAT, section, len);
	feed(&rig);
	cr_assert_eq(rig.changes, 4);
	rig_done(&rig);
}

Test(psi, programs_may_share_a_pmt_pid_and_streams)
{
	static const struct build_entry entries[] = { { 1, 0x100 },
						      { 2, 0x100 } };
	struct rig rig = rig_new();

	put_pat(&rig, 0, entries, 2);
	put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x101 }, 0, av, 3);
	put_pmt(&rig, 0x100, (struct build_entry){ 2, 0x101 }, 0, av, 2);
	put_pmt(&rig, 0x100, (struct build_entry){ 9, 0x101 }, 0, av, 1);
	feed(&rig);
	cr_assert_eq(rig.changes, 3);
	cr_assert_eq(psi_video_count(rig.psi), 1);
	cr_assert_eq(psi_audio_count(rig.psi), 1);
	cr_assert_eq(psi_program_find(rig.psi, 2)->video_pid, 0x101);
	rig_done(&rig);
}

Test(psi, a_pmt_cannot_claim_the_pids_of_tables)
{
	static const struct build_entry entry = { 1, 0x100 };
	static const struct build_es streams[] = {
		{ 0x1b, 0x100, "", 0 },
		{ 0x1b, 0x000, "", 0 },
		{ 0x1b, 0x1fff, "", 0 },
	};
	struct rig rig = rig_new();

	put_pat(&rig, 0, &entry, 1);
	put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x101 }, 0, streams, 3);
	feed(&rig);
	cr_assert_eq(psi_class(rig.psi, 0x100), PID_PSI);
	cr_assert_eq(psi_class(rig.psi, 0x000), PID_PSI);
	cr_assert_eq(psi_video_count(rig.psi), 0);
	cr_assert_eq(psi_main_pid(rig.psi), TS_PID_NULL);
	rig_done(&rig);
}

Test(psi, returns_the_tables_byte_for_byte)
{
	struct rig rig = rig_new();
	const struct psi_section *pat;
	uint8_t section[1024], packets[6 * TS_PACKET], cc = 0;
	struct psi *copy = psi_new();
	size_t n;

	put_multiplex(&rig);
	feed(&rig);
	cr_assert_eq(psi_pat(rig.psi, &pat), 1);
	n = section_pack(pat->data, pat->len, TS_PID_PAT, &cc, packets);
	cr_assert_eq(n, 1);
	cr_assert(psi_feed(copy, packets));

	const struct psi_program *p = psi_program_find(rig.psi, 1);
	size_t len = build_pmt(section, (struct build_entry){ 1, 0x101 }, 0,
			       av, 3);

	cr_assert_eq(p->pmt.len, len);
	cr_assert_eq(memcmp(p->pmt.data, section, len), 0);
	cc = 0;
	n = section_pack(p->pmt.data, p->pmt.len, p->pmt_pid, &cc, packets);
	cr_assert_eq(n, 1);
	cr_assert(psi_feed(copy, packets));
	cr_assert_eq(psi_main_pid(copy), 0x101);
	psi_free(&copy);
	cr_assert_null(copy);
	rig_done(&rig);
}

Test(psi, a_reset_forgets_the_tables)
{
	struct rig rig = rig_new();
	const uint8_t *classes = psi_classes(rig.psi);

	put_multiplex(&rig);
	feed(&rig);
	psi_reset(rig.psi);
	rig.changes = 0;
	cr_assert(!psi_has_pat(rig.psi) && !psi_has_pmt(rig.psi));
	cr_assert_eq(psi_tsid(rig.psi), 0);
	cr_assert_eq(psi_classes(rig.psi), classes);
	cr_assert_eq(classes[0x101], PID_UNKNOWN);
	for (uint16_t pid = 0x100; pid <= 0x300; pid += 0x100)
		cr_assert_eq(classes[pid], PID_UNKNOWN);
	cr_assert_eq(classes[0], PID_PSI);
	put_multiplex(&rig);
	feed(&rig);
	cr_assert_eq(psi_main_pid(rig.psi), 0x101);
	rig_done(&rig);
}

Test(psi, accepts_the_largest_pat_and_many_programs)
{
	struct build_entry entries[253];
	struct rig rig = rig_new();
	const struct psi_program *programs;

	for (size_t i = 0; i < 253; i++)
		entries[i] = (struct build_entry){ (uint16_t)(i + 1),
						   (uint16_t)(i + 0x20) };
	put_pat(&rig, 0, entries, 253);
	for (uint16_t i = 0; i < 253; i++) {
		struct build_es es = { 0x1b, (uint16_t)(0x1000 + i), "", 0 };

		put_pmt(&rig, (uint16_t)(i + 0x20),
			(struct build_entry){ (uint16_t)(i + 1), es.pid }, 0,
			&es, 1);
	}
	feed(&rig);
	cr_assert_eq(psi_programs(rig.psi, &programs), 253);
	cr_assert_eq(psi_video_count(rig.psi), 253);
	put_pat(&rig, 1, entries + 100, 3);
	feed(&rig);
	cr_assert_eq(psi_programs(rig.psi, &programs), 3);
	cr_assert_eq(psi_video_count(rig.psi), 3);
	rig_done(&rig);
}

Test(psi, private_pes_has_the_coding_that_it_registers)
{
	static const struct build_es es[] = {
		{ 0x06, 0x101, "\x05\4HEVC", 6 },
		{ 0x06, 0x102, "\x05\4VC-1", 6 },
		{ 0x06, 0x103, "\x56\5fra\x10\1", 7 },
		{ 0x1b, 0x104, "\x05\4HEVC", 6 },
	};
	static const struct build_entry program = { 1, 0x100 };
	struct rig rig = rig_new();

	put_pat(&rig, 0, &program, 1);
	put_pmt(&rig, 0x100, (struct build_entry){ 1, 0x101 }, 0, es,
		ARRAY_LEN(es));
	feed(&rig);
	cr_expect_eq(psi_coding(rig.psi, 0x101), 0x24);
	cr_expect_eq(psi_class(rig.psi, 0x101), PID_VIDEO);
	cr_expect_eq(psi_coding(rig.psi, 0x102), 0xea);
	cr_expect_eq(psi_coding(rig.psi, 0x103), 0x06);
	cr_expect_eq(psi_coding(rig.psi, 0x104), 0x1b);
	/* the report has what the PMT says */
	for (uint16_t pid = 0x101; pid <= 0x103; pid++)
		cr_expect_eq(psi_stream_type(rig.psi, pid), 0x06);
	cr_expect_eq(psi_stream_type(rig.psi, 0x104), 0x1b);
	rig_done(&rig);
}

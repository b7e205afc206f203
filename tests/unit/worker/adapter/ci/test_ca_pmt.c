/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ca_pmt.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <errno.h>

static const struct ca_ids ids = { 2, { 0x0b00, 0x0500 } };

#define ECM_0B00 "\x09\x04\x0b\x00\xe1\x23"
#define ECM_1800 "\x09\x04\x18\x00\xe1\x24"

Test(ca_pmt, has_the_descriptors_that_the_module_knows)
{
	static const uint8_t body[] =
		"\xe1\x01\xf0\x0c" ECM_1800 ECM_0B00
		"\x1b\xe1\x01\xf0\x03\x52\x01\x07"
		"\x04\xe1\x02\xf0\x12" ECM_0B00 ECM_1800 ECM_0B00;
	static const uint8_t expected[] =
		"\x03\x00\x05\xc7"
		"\xf0\x07\x01" ECM_0B00
		"\x1b\xe1\x01\xf0\x00"
		"\x04\xe1\x02\xf0\x0d\x01" ECM_0B00 ECM_0B00;
	uint8_t section[CA_PMT_SECTION_MAX], to[CA_PMT_MAX];
	size_t n = build_table(section, &(struct build_table){
		.table_id = PMT_TABLE_ID, .extension = 5, .version = 3,
		.body = body, .len = sizeof body - 1 });

	cr_assert_eq(ca_pmt_judge(section, n, &ids), CA_PMT_KNOWN);
	cr_assert_eq(ca_pmt_make(section, n, &ids, CA_DESCRAMBLE, to),
		     sizeof expected - 1);
	cr_assert_eq(memcmp(to, expected, sizeof expected - 1), 0);
	ca_pmt_set_list(to, CA_LIST_ADD);
	cr_assert_eq(to[0], 4);
}

Test(ca_pmt, judges_programs_of_other_systems)
{
	static const struct build_es clear[] = { { 0x1b, 0x101, "", 0 } };
	static const struct build_es foreign[] = {
		{ 0x1b, 0x101, ECM_1800, 6 } };
	/* a descriptor that is cut names nothing */
	static const struct build_es cut[] = {
		{ 0x1b, 0x101, "\x09\x02\x0b\x00", 4 } };
	uint8_t section[CA_PMT_SECTION_MAX];
	struct build_entry program = { 1, 0x101 };
	size_t n = build_pmt(section, program, 0, clear, 1);

	cr_assert_eq(ca_pmt_judge(section, n, &ids), CA_PMT_CLEAR);
	n = build_pmt(section, program, 0, foreign, 1);
	cr_assert_eq(ca_pmt_judge(section, n, &ids), CA_PMT_FOREIGN);
	n = build_pmt(section, program, 0, cut, 1);
	cr_assert_eq(ca_pmt_judge(section, n, &ids), CA_PMT_FOREIGN);
	cr_assert_eq(ca_pmt_judge(section, n - 5, &ids), CA_PMT_BROKEN);
}

Test(ca_pmt, fits_for_the_largest_pmt)
{
	static struct build_es streams[PMT_STREAMS_MAX];
	uint8_t section[1200], to[CA_PMT_MAX];
	size_t n = (1024 - 16) / 11, len;

	for (size_t i = 0; i < n; i++)
		streams[i] = (struct build_es){ 0x1b, (uint16_t)(0x100 + i),
						ECM_0B00, 6 };
	len = build_pmt(section, (struct build_entry){ 1, 0x100 }, 0, streams,
			n);
	cr_assert_leq(len, CA_PMT_SECTION_MAX);
	cr_assert_eq(ca_pmt_make(section, len, &ids, CA_DESCRAMBLE, to),
		     6 + 12 * n);
}

Test(ca_pmt, reads_the_worst_answer)
{
	struct ca_reply r;

	cr_assert_eq(ca_reply_decode((const uint8_t *)"\0\5\xc1\x81"
				     "\xe1\x01\x81\xe1\x02\xf1", 10, &r), 0);
	cr_assert_eq(r.program, 5);
	cr_assert(r.has_answer);
	cr_assert_eq(r.answer, CA_REPLY_NO_RIGHT);
	cr_assert_eq(ca_reply_decode((const uint8_t *)"\0\5\xc1\x00", 4, &r),
		     0);
	cr_assert(!r.has_answer);
	cr_assert_eq(ca_reply_decode((const uint8_t *)"\0\5\xc1\x00\0", 5, &r),
		     -EBADMSG);
	cr_assert_eq(ca_reply_decode((const uint8_t *)"\0\5\xc1", 3, &r),
		     -EBADMSG);
}

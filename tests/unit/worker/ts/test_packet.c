/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/packet.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>

Test(packet, finds_the_payload_whatever_the_adaptation_field_claims)
{
	static const struct {
		unsigned control, len;
		size_t offset;
	} cases[] = {
		{ 0x00, 0, 188 },   { 0x10, 0, 4 },     { 0x10, 255, 4 },
		{ 0x20, 183, 188 }, { 0x30, 0, 5 },     { 0x30, 1, 6 },
		{ 0x30, 182, 187 }, { 0x30, 183, 188 }, { 0x30, 184, 188 },
		{ 0x30, 255, 188 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t p[TS_PACKET] = { TS_SYNC_BYTE, 0, 0,
					 (uint8_t)cases[i].control,
					 (uint8_t)cases[i].len };

		cr_expect_eq(ts_payload_offset(p), cases[i].offset,
			     "case %zu: %zu", i, ts_payload_offset(p));
	}
}

Test(packet, has_no_flags_without_a_valid_adaptation_field)
{
	uint8_t p[TS_PACKET] = { TS_SYNC_BYTE, 0, 0, 0x30, 1, 0xc0 };

	cr_assert(ts_discontinuity(p) && ts_random_access(p));
	p[4] = 0;
	cr_assert(!ts_discontinuity(p) && !ts_random_access(p));
	p[4] = 184;
	cr_assert(!ts_discontinuity(p) && !ts_random_access(p));
	p[4] = 1;
	p[3] = 0x10;
	cr_assert(!ts_discontinuity(p) && !ts_random_access(p));
}

Test(packet, reads_a_pcr_only_from_a_field_that_holds_one)
{
	static const uint64_t values[] = {
		0, 1, 299, 300, 27000000, UINT64_C(2576980377599),
	};
	struct build *b = build_new();
	uint64_t pcr;

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		uint8_t *p = build_pcr(b, 0x1ffe, values[i]);

		cr_assert(ts_pcr(p, &pcr));
		cr_assert_eq(pcr, values[i]);
		p[4] = 6;
		cr_assert(!ts_pcr(p, &pcr));
	}
	build_free(b);
}

Test(packet, writes_pid_and_counter_and_keeps_other_bits)
{
	uint8_t p[TS_PACKET] = { TS_SYNC_BYTE, 0xe0, 0, 0xf0 };

	ts_set_pid(p, 0x1abc);
	ts_set_cc(p, 13);
	cr_assert_eq(ts_pid(p), 0x1abc);
	cr_assert_eq(ts_cc(p), 13);
	cr_assert(ts_tei(p) && ts_pusi(p));
	cr_assert_eq(ts_scrambling(p), 3);
	ts_set_pid(p, 3);
	cr_assert_eq(ts_pid(p), 3);
	cr_assert_eq(p[1], 0xe0);
}

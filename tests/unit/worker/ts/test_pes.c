/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/pes.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

Test(pes, reads_the_pts)
{
	struct build *b = build_new();
	uint8_t *p = build_pes(b, 0x101, "xx", 2);
	uint8_t *pes = p + 5 + p[4];
	uint64_t pts;

	cr_assert(pes_pts(p, &pts));
	cr_assert_eq(pts, BUILD_PTS);
	memcpy(pes + 9, "\x0f\xff\xff\xff\xff", 5);
	cr_assert(pes_pts(p, &pts));
	cr_assert_eq(pts, (UINT64_C(1) << 33) - 1);

	for (int i = 0; i < 3; i++) {
		static const uint8_t at[] = { 1, 1, 3 };
		static const uint8_t bits[] = { 0x80, 0x40, 0x40 };

		p[at[i]] ^= bits[i]; /* TEI, no PUSI, scrambled */
		cr_assert(!pes_pts(p, &pts), "%d", i);
		p[at[i]] ^= bits[i];
	}
	for (int i = 0; i < 3; i++) {
		pes[i] ^= 1; /* no PES */
		cr_assert(!pes_pts(p, &pts), "%d", i);
		pes[i] ^= 1;
	}
	cr_assert(pes_pts(p, &pts));

	pes[7] = 0x40; /* DTS alone does not exist */
	cr_assert(!pes_pts(p, &pts));
	pes[7] = 0x80;
	pes[8] = 4; /* too short for one */
	cr_assert(!pes_pts(p, &pts));
	pes[8] = 5;
	pes[3] = 0xbf; /* private_stream_2 has no header */
	cr_assert(!pes_pts(p, &pts));
	build_free(b);
}

Test(pes, finds_no_pts_behind_the_end_of_the_packet)
{
	struct build *b = build_new();
	uint8_t *p = build_payload(b, 0x101, 0);
	uint64_t pts;

	p[1] |= 0x40;
	p[3] |= 0x20;
	for (unsigned len = 170; len < 184; len++) {
		size_t room = TS_PACKET - 5 - len;

		memset(p + 4, 0, TS_PACKET - 4);
		p[4] = (uint8_t)len;
		memcpy(p + 5 + len, "\0\0\1\xe0\0\0\x80\x80\5\x21\0\1\0\1",
		       room < 14 ? room : 14);
		cr_expect_eq(pes_pts(p, &pts), room >= 14, "%zu bytes", room);
	}
	build_free(b);
}

Test(pes, changes_both_time_stamps_and_nothing_else)
{
	static const uint8_t header[] = "\0\0\1\xe0\0\0\x80\xc0\x0a"
					"\x31\0\1\0\x0b\x11\0\1\0\x07xx";
	struct build *b = build_new();
	uint8_t *p = build_payload(b, 0x101, 0xff);
	struct pes_times at;
	uint8_t was[TS_PACKET];

	p[1] |= 0x40;
	memcpy(p + 4, header, sizeof header - 1);
	memcpy(was, p, TS_PACKET);
	cr_assert(pes_times(p, &at));
	cr_assert_eq(pes_time(p + at.pts), 5);
	cr_assert_eq(pes_time(p + at.dts), 3);

	pes_set_time(p + at.pts, PES_TIME_WRAP - 1);
	pes_set_time(p + at.dts, PES_TIME_WRAP - 3);
	cr_assert_eq(pes_time(p + at.pts), PES_TIME_WRAP - 1);
	cr_assert_eq(pes_time(p + at.dts), PES_TIME_WRAP - 3);
	/* marker bits and the prefixes 0011 and 0001 stay */
	pes_set_time(p + at.pts, 5);
	pes_set_time(p + at.dts, 3);
	cr_assert_arr_eq(p, was, TS_PACKET);
	build_free(b);
}

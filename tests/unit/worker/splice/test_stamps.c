/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/splice/stamps.h"

#include "worker/ts/pcr.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <string.h>

#define BASE_MAX (PES_TIME_WRAP - 1)

/* An adaptation field with all there is, and a PES with all there is. */
static const uint8_t whole[] = {
	0x47, 0x41, 0x01, 0x30,
	38, 0x1f,                          /* PCR, OPCR, splice, private, ext */
	0x00, 0x00, 0x00, 0x00, 0x7e, 0x05, /* PCR 0, extension 5 */
	0x80, 0x00, 0x00, 0x00, 0x7e, 0x00, /* OPCR 2^32 */
	0x07,                              /* splice_countdown */
	3, 0xaa, 0xbb, 0xcc,               /* private data */
	11, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x01, 0x00, 0x01, 0x00, 0x01,      /* DTS_next_AU 0 */
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0, 0, 1, 0xe0, 0, 0, 0x80, 0xe0, 16,
	0x31, 0x00, 0x01, 0x00, 0x01,      /* PTS 0 */
	0x1f, 0xff, 0xff, 0xff, 0xff,      /* DTS 2^33 - 1 */
	0x04, 0x00, 0x04, 0x00, 0x04, 0x01, /* ESCR 0 */
	0xde, 0xad,
};

static uint64_t base_of(const uint8_t *p)
{
	return (uint64_t)p[0] << 25 | (uint64_t)p[1] << 17 |
	       (uint64_t)p[2] << 9 | (uint64_t)p[3] << 1 | p[4] >> 7;
}

static uint64_t escr_of(const uint8_t *p)
{
	return (uint64_t)(p[0] >> 3 & 7) << 30 |
	       (uint64_t)((p[0] & 3) << 13 | p[1] << 5 | p[2] >> 3) << 15 |
	       (uint64_t)((p[2] & 3) << 13 | p[3] << 5 | p[4] >> 3);
}

Test(stamps, every_stamp_is_moved)
{
	static const uint64_t moves[] = {
		0, 1, 90000, UINT64_C(1) << 32, UINT64_C(0x155555555),
		BASE_MAX,
	};
	uint8_t p[TS_PACKET];

	for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
		uint64_t by = moves[i];

		memset(p, 0x55, sizeof p);
		memcpy(p, whole, sizeof whole);
		stamps_move(p, (struct stamps_move){ by, by });
		cr_assert_eq(base_of(p + 6), by);
		cr_assert_eq(p[11], 5, "the extension stays");
		cr_assert_eq(base_of(p + 12),
			     (by + (UINT64_C(1) << 32)) % PES_TIME_WRAP);
		cr_assert_eq(pes_time(p + 30), by);
		cr_assert_eq(pes_time(p + 52), by);
		cr_assert_eq(pes_time(p + 57), (by + BASE_MAX) % PES_TIME_WRAP);
		cr_assert_eq(escr_of(p + 62), by, "%ju of %ju",
			     (uintmax_t)escr_of(p + 62), (uintmax_t)by);
		/* and every other bit is unchanged, marker bits too */
		stamps_move(p, (struct stamps_move){ PES_TIME_WRAP - by,
						     PES_TIME_WRAP - by });
		cr_assert_arr_eq(p, whole, sizeof whole);
		cr_assert_eq(p[sizeof whole], 0x55);
	}
}

Test(stamps, clock_and_times_move_apart)
{
	uint8_t p[TS_PACKET] = { 0 };

	memcpy(p, whole, sizeof whole);
	stamps_move(p, (struct stamps_move){ .clock = 100, .times = 3 });
	cr_assert_eq(base_of(p + 6), 100);
	cr_assert_eq(escr_of(p + 62), 100);
	cr_assert_eq(pes_time(p + 30), 3);
	cr_assert_eq(pes_time(p + 52), 3);
}

Test(stamps, nothing_beyond_a_field_that_lies_is_touched)
{
	uint8_t p[TS_PACKET], was[TS_PACKET];

	/* every length that an adaptation field may claim */
	for (unsigned len = 0; len < 256; len++) {
		memset(p, 0x55, sizeof p);
		memcpy(p, whole, sizeof whole);
		p[1] = 0x01; /* no unit begins */
		p[4] = (uint8_t)len;
		memcpy(was, p, sizeof p);
		stamps_move(p, (struct stamps_move){ 0x123456789,
						     0x123456789 });
		for (size_t i = 0; i < TS_PACKET; i++)
			if (i > 4 + len || len > TS_PACKET - 5)
				cr_assert_eq(p[i], was[i], "%u: %zu", len, i);
	}
}

Test(stamps, a_pcr_can_be_taken_out)
{
	uint8_t p[TS_PACKET];
	uint64_t pcr;

	memset(p, 0x55, sizeof p);
	memcpy(p, whole, sizeof whole);
	stamps_drop_pcr(p);
	cr_assert_not(ts_pcr(p, &pcr));
	cr_assert_eq(p[4], 38);
	cr_assert_eq(base_of(p + 6), UINT64_C(1) << 32, "the OPCR moved up");
	cr_assert_eq(p[42], 0xff);
	cr_assert_arr_eq(p + 43, whole + 43, sizeof whole - 43);
}

Test(stamps, a_payload_can_be_taken_out)
{
	uint8_t p[TS_PACKET];
	uint64_t pcr;

	memset(p, 0x55, sizeof p);
	memcpy(p, whole, sizeof whole);
	stamps_drop_payload(p);
	cr_assert(ts_pcr(p, &pcr));
	cr_assert_eq(pcr, 5);
	cr_assert_not(ts_has_payload(p));
	cr_assert_not(ts_pusi(p));
	cr_assert_eq(ts_pid(p), 0x101);
	cr_assert_eq(p[TS_PACKET - 1], 0xff);
}

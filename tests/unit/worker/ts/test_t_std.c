/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rates and sizes of buffers, by type and level. */
#include "worker/ts/t_std.h"

#include "common/base/util.h"

#include <criterion/criterion.h>

enum { MPEG2 = 0x02, H264 = 0x1b, HEVC = 0x24 };

Test(t_std, the_level_of_a_parameter_set_determines_the_rate_of_video)
{
	struct t_std_video none;
	static const struct {
		uint8_t coding;
		uint8_t data[40];
		unsigned bps, bytes;
	} cases[] = {
		/* Main at level 3, High at level 4 */
		{ H264, { 9, 0, 0, 1, 0x67, 77, 0, 30 }, 12000000,
		  1500000 + 6000 + 2000 },
		{ H264, { 0, 0, 0, 1, 0x67, 100, 0, 40 }, 30000000,
		  4687500 + 15000 + 5000 },
		/* High 10 and High 4:2:2 at level 4 */
		{ H264, { 0, 0, 0, 1, 0x67, 110, 0, 40 }, 72000000,
		  11250000 + 36000 + 12000 },
		{ H264, { 0, 0, 0, 1, 0x67, 122, 0, 40 }, 96000000,
		  15000000 + 48000 + 16000 },
		/* another unit; another coding */
		{ H264, { 0, 0, 1, 0x65, 77, 0, 30 }, 0, 0 },
		{ MPEG2, { 0, 0, 1, 0x67, 77, 0, 30 }, 0, 0 },
		/* Main at main level; another extension */
		{ MPEG2, { 0, 0, 1, 0xb5, 0x14, 0x8a }, 18000000,
		  229500 + 7500 + 2500 },
		{ MPEG2, { 0, 0, 1, 0xb5, 0x24, 0x8a }, 0, 0 },
		/* Main tier at level 4.1, High tier at level 4 */
		{ HEVC, { 0, 0, 1, 0x42, 1, 1, 1, 0x60, 0, 0, 3, 0, 0x90, 0, 0,
			  3, 0, 0, 3, 0, 123 }, 22000000,
		  2750000 + 11000 + 3666 },
		{ HEVC, { 0, 0, 1, 0x42, 1, 1, 0x21, 0x60, 0, 0, 3, 0, 0x90, 0,
			  0, 3, 0, 0, 3, 0, 120 }, 33000000,
		  4125000 + 16500 + 5500 },
		/* High tier at level 5.1, Main tier at level 6 */
		{ HEVC, { 0, 0, 1, 0x42, 1, 1, 0x21, 0x60, 0, 0, 3, 0, 0x90, 0,
			  0, 3, 0, 0, 3, 0, 153 }, 176000000,
		  22000000 + 88000 + 29333 },
		{ HEVC, { 0, 0, 1, 0x42, 1, 1, 1, 0x60, 0, 0, 3, 0, 0x90, 0,
			  0, 3, 0, 0, 3, 0, 180 }, 66000000,
		  8250000 + 33000 + 11000 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct t_std_video v = { 0 };

		cr_expect_eq(t_std_video_find(cases[i].coding, cases[i].data,
					      sizeof cases[i].data, &v),
			     cases[i].bps > 0, "case %zu", i);
		cr_expect_eq(v.bps, cases[i].bps, "case %zu: %u", i, v.bps);
		cr_expect(v.bytes >= cases[i].bytes &&
			  v.bytes <= cases[i].bytes + 1, "case %zu: %u", i,
			  v.bytes);
	}
	/* a parameter set that is cut */
	cr_expect_not(t_std_video_find(H264, cases[0].data, 8, &none));
}

Test(t_std, types_without_a_fixed_rate_have_none)
{
	struct t_std_video none;

	cr_expect_eq(t_std_audio_bps(0x03), 2000000u);
	cr_expect_eq(t_std_audio_bps(0x0f), 5529600u);
	cr_expect_eq(t_std_audio_bps(0x1b), 0u);
	cr_expect_not(t_std_video_find(0x03, NULL, 0, &none));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/t_std.h"

#include "common/base/util.h"

#include <stdbool.h>

enum {
	MPEG2 = 0x02,
	H264 = 0x1b,
	HEVC = 0x24,
	HEVC_LEVEL = 13, /* behind the first byte of the header */
	SPS_MOST = 20,   /* bytes behind a start code that are read */
	AUDIO_BPS = 2000000,
	AAC_BPS = 5529600, /* it may have eight channels */
};

unsigned t_std_audio_bps(uint8_t stream_type)
{
	switch (stream_type) {
	case 0x03: /* MPEG */
	case 0x04:
	case 0x81: /* AC-3 */
		return AUDIO_BPS;
	case 0x0f: /* AAC */
	case 0x11:
		return AAC_BPS;
	default:
		return 0;
	}
}

/* kbit/s of a level; of the nearest one above if there is none. */
struct level {
	uint8_t number;
	unsigned kbps;
};

static unsigned kbps_of(const struct level *list, size_t n, uint8_t number)
{
	size_t i = 0;

	while (i + 1 < n && list[i].number < number)
		i++;
	return list[i].kbps;
}

/* The bits of a kbit of a level in the profile: H.264 table A-2,
 * cpbBrNalFactor. */
static unsigned h264_factor(uint8_t profile_idc)
{
	switch (profile_idc) {
	case 66:
	case 77:
	case 88:
		return 1200;
	case 110: /* High 10 */
		return 3600;
	case 44: /* 4:4:4 Intra */
	case 122: /* High 4:2:2 */
	case 244: /* High 4:4:4 Predictive */
		return 4800;
	default:
		return 1500;
	}
}

/* profile_idc, constraints, level_idc: H.264 annex A, table A-1. */
static unsigned h264_bps(const uint8_t *sps)
{
	static const struct level levels[] = {
		{ 10, 64 }, { 11, 192 }, { 12, 384 }, { 13, 768 },
		{ 20, 2000 }, { 22, 4000 }, { 30, 10000 }, { 31, 14000 },
		{ 40, 20000 }, { 42, 50000 }, { 50, 135000 }, { 62, 240000 },
	};

	return kbps_of(levels, ARRAY_LEN(levels), sps[2]) *
	       h264_factor(sps[0]);
}

/* A sequence extension: ISO/IEC 13818-2 table 8-13; 1.2 by 2.4.2.3 of
 * 13818-1. */
static unsigned mpeg2_bps(const uint8_t *extension)
{
	static const struct level levels[] = {
		{ 4, 80000 }, { 6, 60000 }, { 8, 15000 }, { 10, 4000 },
	};

	if (extension[0] >> 4 != 1)
		return 0;
	return kbps_of(levels, ARRAY_LEN(levels), extension[1] >> 4) * 1200;
}

/* general_tier_flag and general_level_idc: H.265 annex A, table A.9. */
static unsigned hevc_bps(const uint8_t *sps)
{
	static const struct level levels[] = {
		{ 30, 128 }, { 60, 1500 }, { 63, 3000 }, { 90, 6000 },
		{ 93, 10000 }, { 120, 12000 }, { 123, 20000 },
		{ 150, 25000 }, { 153, 40000 }, { 186, 60000 },
	};
	unsigned bps, at = 0, zeros = 0;

	/* without the bytes that prevent start codes */
	for (unsigned n = 0; n < HEVC_LEVEL; at++) {
		bool extra = zeros >= 2 && sps[at] == 3;

		zeros = sps[at] == 0 ? zeros + 1 : 0;
		n += !extra;
	}
	at += zeros >= 2 && sps[at] == 3;
	bps = kbps_of(levels, ARRAY_LEN(levels), sps[at]) * 1100;
	return sps[2] & 0x20 ? bps / 2 * 5 : bps;
}

unsigned t_std_video_bps(uint8_t coding, const uint8_t *data, size_t n)
{
	for (size_t i = 0; i + 4 + SPS_MOST <= n; i++) {
		const uint8_t *p = data + i;
		unsigned bps = 0;

		if (p[0] != 0 || p[1] != 0 || p[2] != 1)
			continue;
		if (coding == H264 && (p[3] & 0x1f) == 7)
			bps = h264_bps(p + 4);
		else if (coding == MPEG2 && p[3] == 0xb5)
			bps = mpeg2_bps(p + 4);
		else if (coding == HEVC && (p[3] >> 1 & 0x3f) == 33)
			bps = hevc_bps(p + 4);
		if (bps > 0)
			return bps;
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/t_std.h"

#include "common/base/util.h"
#include "worker/ts/audio.h"
#include "worker/ts/pcr.h"

#include <string.h>

enum {
	MPEG2 = 0x02,
	H264 = 0x1b,
	HEVC = 0x24,
	/* offset of general_level_idc behind the first byte of the NAL unit */
	HEVC_LEVEL = 13,
	SPS_MOST = 20,   /* most bytes behind a start code that are read */
	AAC_BPS = 5529600, /* rate for AAC with three to eight channels */
	/* bytes of the main buffers: other audio, AAC with three to eight
	 * channels, and AC-3 (TS 101 154) */
	AUDIO_BYTES = 3584,
	AAC_BYTES = 8976,
	AC3_BYTES = 5696,
	USUAL_RATE = 48000, /* sample rate if the frame does not have it */
	SYSTEM_BPS_MIN = 80000,
	/* The multiplex buffer holds 4 ms of the rate, and 1/750 s for headers.
	 * For its size the rate counts as at least this many bit/s. */
	MUX_BPS_MIN = 2000000,
};

uint64_t t_std_system_bps(uint64_t multiplex_bps)
{
	return MAX(multiplex_bps / 500, (uint64_t)SYSTEM_BPS_MIN);
}

unsigned t_std_audio_bps(uint8_t stream_type)
{
	switch (stream_type) {
	case 0x03: /* MPEG */
	case 0x04:
	case 0x81: /* AC-3 */
		return T_STD_AUDIO_BPS;
	case 0x0f: /* AAC */
	case 0x11:
		return AAC_BPS;
	default:
		return 0;
	}
}

bool t_std_audio_find(const uint8_t *head, struct t_std_audio *ret)
{
	struct audio_frame frame;
	unsigned channels, rate;

	if (!audio_frame_parse(head, &frame) || frame.samples == 0)
		return false;
	rate = frame.rate > 0 ? frame.rate : USUAL_RATE;
	*ret = (struct t_std_audio){
		.bps = T_STD_AUDIO_BPS,
		.bytes = AUDIO_BYTES,
		.frame_ticks = (unsigned)(PCR_HZ * frame.samples / rate),
	};
	/* channel_configuration; 0: a program config element describes the
	 * channels */
	channels = frame.codec == AUDIO_ADTS
			   ? (head[2] & 1U) << 2 | head[3] >> 6 : 0;
	if (frame.codec == AUDIO_AC3 || frame.codec == AUDIO_EAC3) {
		ret->bytes = AC3_BYTES;
	} else if (frame.codec == AUDIO_LATM ||
		   (frame.codec == AUDIO_ADTS &&
		    (channels == 0 || channels > 2))) {
		ret->bps = AAC_BPS;
		ret->bytes = AAC_BYTES;
	}
	return true;
}

/* A level with its highest rate (kbit/s) and coded picture buffer (kbit). */
struct level {
	uint8_t number;
	unsigned kbps, kbit;
};

/* The buffers of a level in the list, or of the next higher level if it is not
 * listed.  factor: bits in a kbit of the list. */
static struct t_std_video size(const struct level *list, size_t n,
			       uint8_t number, unsigned factor)
{
	uint64_t bps, most;
	size_t i = 0;

	while (i + 1 < n && list[i].number < number)
		i++;
	bps = (uint64_t)list[i].kbps * factor;
	most = MAX(bps, (uint64_t)MUX_BPS_MIN);
	return (struct t_std_video){
		.bps = (unsigned)bps,
		.bytes = (unsigned)((most / 250 + most / 750 +
				     (uint64_t)list[i].kbit * factor) / 8),
	};
}

/* The number of bits that a kbit of the levels means for this profile:
 * cpbBrNalFactor of H.264 table A-2. */
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

/* The buffers of H.264, by profile_idc and level_idc of the SPS: annex A, table
 * */
static struct t_std_video h264(const uint8_t *sps)
{
	static const struct level levels[] = {
		{ 10, 64, 175 }, { 11, 192, 500 }, { 12, 384, 1000 },
		{ 13, 768, 2000 }, { 20, 2000, 2000 }, { 22, 4000, 4000 },
		{ 30, 10000, 10000 }, { 31, 14000, 14000 },
		{ 32, 20000, 20000 }, { 40, 20000, 25000 },
		{ 42, 50000, 62500 }, { 50, 135000, 135000 },
		{ 52, 240000, 240000 }, { 62, 800000, 800000 },
	};

	return size(levels, ARRAY_LEN(levels), sps[2], h264_factor(sps[0]));
}

/* The buffers of MPEG-2, by the level in a sequence extension (ISO/IEC 13818-2
 * tables 8-13 and 8-14).  The rate is 1.2 times that of the level (13818-1
 * 2.4.2.3).  All zeros: it is another extension. */
static struct t_std_video mpeg2(const uint8_t *extension)
{
	static const struct level levels[] = {
		{ 4, 80000, 9782 }, { 6, 60000, 7341 }, { 8, 15000, 1836 },
		{ 10, 4000, 476 },
	};
	struct t_std_video v = { 0 };

	if (extension[0] >> 4 != 1)
		return v;
	v = size(levels, ARRAY_LEN(levels), extension[1] >> 4, 1000);
	v.bps = v.bps / 5 * 6;
	return v;
}

/* The buffers of HEVC, by general_tier_flag and general_level_idc: H.265 annex
 * A, tables A.8 and A.9.  The coded picture buffer holds one second at the
 * highest rate, and at level 1 more. */
static struct t_std_video hevc(const uint8_t *sps)
{
	static const struct level levels[] = {
		{ 30, 128, 350 }, { 60, 1500, 1500 }, { 63, 3000, 3000 },
		{ 90, 6000, 6000 }, { 93, 10000, 10000 },
		{ 120, 12000, 12000 }, { 123, 20000, 20000 },
		{ 150, 25000, 25000 }, { 153, 40000, 40000 },
		{ 180, 60000, 60000 }, { 183, 120000, 120000 },
		{ 186, 240000, 240000 },
	};
	/* lower levels have no high tier */
	static const struct level high[] = {
		{ 120, 30000, 30000 }, { 123, 50000, 50000 },
		{ 150, 100000, 100000 }, { 153, 160000, 160000 },
		{ 180, 240000, 240000 }, { 183, 480000, 480000 },
		{ 186, 800000, 800000 },
	};
	unsigned at = 0, zeros = 0;

	/* finds the level, without counting emulation prevention bytes */
	for (unsigned n = 0; n < HEVC_LEVEL; at++) {
		bool extra = zeros >= 2 && sps[at] == 3;

		zeros = sps[at] == 0 ? zeros + 1 : 0;
		n += !extra;
	}
	at += zeros >= 2 && sps[at] == 3;
	return sps[2] & 0x20 ? size(high, ARRAY_LEN(high), sps[at], 1100)
			     : size(levels, ARRAY_LEN(levels), sps[at], 1100);
}

bool t_std_video_find(uint8_t coding, const uint8_t *data, size_t n,
		      struct t_std_video *ret)
{
	const uint8_t *end;

	if (n < 4 + SPS_MOST)
		return false;
	/* searches the byte 1 of a start code, because 0 is more frequent */
	end = data + n - 1 - SPS_MOST;
	for (const uint8_t *at = data + 2; at < end; at++) {
		struct t_std_video v = { 0 };
		const uint8_t *p;

		at = memchr(at, 1, (size_t)(end - at));
		if (at == NULL)
			return false;
		p = at - 2;
		if (p[0] != 0 || p[1] != 0)
			continue;
		if (coding == H264 && (p[3] & 0x1f) == 7)
			v = h264(p + 4);
		else if (coding == MPEG2 && p[3] == 0xb5)
			v = mpeg2(p + 4);
		else if (coding == HEVC && (p[3] >> 1 & 0x3f) == 33)
			v = hevc(p + 4);
		if (v.bps == 0)
			continue;
		*ret = v;
		return true;
	}
	return false;
}

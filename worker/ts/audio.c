/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/audio.h"

#include "common/base/util.h"

#include <string.h>

/* Bit rates by bitrate_index, kbit/s (ISO/IEC 11172-3 2.4.2.3 and 13818-3
 * 2.4.2.3).  Rows: MPEG-1 layers I, II and III; MPEG-2 and MPEG-2.5 layer I,
 * then layers II and III. */
static const uint16_t mpeg_kbps[5][15] = {
	{ 0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416,
	  448 },
	{ 0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384 },
	{ 0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 },
	{ 0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256 },
	{ 0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160 },
};

static bool parse_mpeg(const uint8_t *p, struct audio_frame *ret)
{
	static const uint16_t rates[3] = { 44100, 48000, 32000 };
	unsigned version = p[1] >> 3 & 3, layer = 4 - (p[1] >> 1 & 3);
	unsigned bitrate = p[2] >> 4, rate = p[2] >> 2 & 3;
	unsigned padding = p[2] >> 1 & 1;
	/* True: MPEG-1.  Version 2 is MPEG-2 with half the sample rates,
	 * version 0 is MPEG-2.5 with a quarter of them. */
	bool first = version == 3;
	uint32_t bps, len;

	if (version == 1 || layer == 4 || bitrate == 0 || bitrate == 15 ||
	    rate == 3)
		return false;
	ret->codec = AUDIO_MPEG;
	ret->rate = (uint32_t)rates[rate] >> (first ? 0 : version == 2 ? 1 : 2);
	bps = mpeg_kbps[first ? layer - 1 : layer == 1 ? 3 : 4][bitrate] *
	      1000U;
	if (layer == 1)
		len = (12 * bps / ret->rate + padding) * 4;
	else if (layer == 3 && !first)
		len = 72 * bps / ret->rate + padding;
	else
		len = 144 * bps / ret->rate + padding;
	ret->samples = layer == 1 ? 384 : layer == 3 && !first ? 576 : 1152;
	ret->len = (uint16_t)len;
	return len >= AUDIO_HEAD;
}

static bool parse_adts(const uint8_t *p, struct audio_frame *ret)
{
	static const uint32_t rates[13] = {
		96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000,
		12000, 11025, 8000, 7350,
	};
	unsigned rate = p[2] >> 2 & 0x0f;

	if (rate >= ARRAY_LEN(rates))
		return false;
	ret->codec = AUDIO_ADTS;
	ret->rate = rates[rate];
	ret->samples = (uint16_t)(1024 * ((p[6] & 3) + 1));
	ret->len = (uint16_t)((p[3] & 3) << 11 | p[4] << 3 | p[5] >> 5);
	return ret->len >= AUDIO_HEAD;
}

static bool parse_ac3(const uint8_t *p, struct audio_frame *ret)
{
	static const uint16_t kbps[19] = {
		32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
		384, 448, 512, 576, 640,
	};
	unsigned rate = p[4] >> 6, code = p[4] & 0x3f;
	unsigned words;

	if (rate == 3 || code / 2 >= ARRAY_LEN(kbps))
		return false;
	words = kbps[code / 2];
	if (rate == 0)
		words *= 2;
	else if (rate == 1)
		words = words * 320 / 147 + (code & 1);
	else
		words *= 3;
	ret->codec = AUDIO_AC3;
	ret->rate = rate == 0 ? 48000 : rate == 1 ? 44100 : 32000;
	ret->samples = 1536;
	ret->len = (uint16_t)(2 * words);
	return true;
}

/* Reads a frame of E-AC-3 (TS 102 366 E.1.2.2); false: it is none.  samples is
 * 0 for further substreams, which add channels to another frame. */
static bool parse_eac3(const uint8_t *p, struct audio_frame *ret)
{
	static const uint16_t rates[3] = { 48000, 44100, 32000 };
	static const uint8_t blocks[4] = { 1, 2, 3, 6 };
	unsigned type = p[2] >> 6, id = p[2] >> 3 & 7;
	unsigned rate = p[4] >> 6, more = p[4] >> 4 & 3;

	if (type == 3 || (rate == 3 && more == 3))
		return false;
	ret->codec = AUDIO_EAC3;
	ret->rate = rate == 3 ? rates[more] / 2U : rates[rate];
	ret->samples = (uint16_t)(256 * (rate == 3 ? 6 : blocks[more]));
	if (type == 1 || id != 0)
		ret->samples = 0;
	ret->len = (uint16_t)(2 * (((p[2] & 7) << 8 | p[3]) + 1));
	return ret->len >= AUDIO_HEAD;
}

bool audio_frame_parse(const uint8_t *p, struct audio_frame *ret)
{
	/* LATM: the number of samples is in the payload; the usual one is
	 * assumed */
	if (p[0] == 0x56 && (p[1] & 0xe0) == 0xe0) {
		*ret = (struct audio_frame){
			.codec = AUDIO_LATM,
			.samples = 1024,
			.len = (uint16_t)(3 + ((p[1] & 0x1f) << 8 | p[2])),
		};
		return ret->len >= AUDIO_HEAD;
	}
	if (p[0] == 0x0b && p[1] == 0x77)
		return p[5] >> 3 <= 10 ? parse_ac3(p, ret)
		       : p[5] >> 3 <= 16 && parse_eac3(p, ret);
	if (p[0] != 0xff || (p[1] & 0xe0) != 0xe0)
		return false;
	if ((p[1] & 0xf6) == 0xf0)
		return parse_adts(p, ret);
	return parse_mpeg(p, ret);
}

bool audio_walk(struct audio_walk *w, const uint8_t **data, size_t *len,
		struct audio_frame *ret)
{
	for (;;) {
		size_t pass = MIN(w->skip, *len);

		*data += pass;
		*len -= pass;
		w->skip -= (uint32_t)pass;
		pass = MIN((size_t)AUDIO_HEAD - w->have, *len);
		memcpy(w->head + w->have, *data, pass);
		w->have = (uint8_t)(w->have + pass);
		*data += pass;
		*len -= pass;
		if (w->have < AUDIO_HEAD)
			return false;
		w->locked = audio_frame_parse(w->head, ret);
		if (w->locked) {
			w->have = 0;
			w->skip = ret->len - (uint32_t)AUDIO_HEAD;
			return true;
		}
		/* try the next byte */
		memmove(w->head, w->head + 1, AUDIO_HEAD - 1);
		w->have = AUDIO_HEAD - 1;
	}
}

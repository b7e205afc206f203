/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/filler/silent.h"

#include "proto/si/bits.h"
#include "worker/ts/audio.h"

#include <string.h>

/* Makes a silent frame of MPEG audio: no bits are allocated to any subband, so
 * zeros follow the header, in which CRC (protection_bit) and padding are
 * switched off.  False: the coding is not supported. */
static bool make_mpeg(const uint8_t *sample, struct silent *ret)
{
	uint8_t head[AUDIO_HEAD];
	struct audio_frame frame;

	memcpy(head, sample, sizeof head);
	head[1] |= 0x01;
	head[2] &= 0xfd;
	if (!audio_frame_parse(head, &frame) || frame.len > sizeof ret->frame)
		return false;
	memset(ret->frame, 0, frame.len);
	memcpy(ret->frame, head, 4);
	ret->len = frame.len;
	ret->samples = frame.samples;
	ret->rate = frame.rate;
	return true;
}

static bool make_adts(const uint8_t *sample, const struct audio_frame *frame,
		      struct silent *ret)
{
	enum { HEAD = 7 };
	unsigned channels = (sample[2] & 1U) << 2 | sample[3] >> 6;
	struct bit_writer w = { .data = ret->frame + HEAD,
				.size = sizeof ret->frame - HEAD };

	memset(ret->frame, 0, sizeof ret->frame);
	if (!aac_put_silence(&w, channels))
		return false;
	bits_align(&w);
	ret->len = HEAD + w.at / 8;
	memcpy(ret->frame, sample, 3);
	ret->frame[1] |= 0x01; /* no CRC */
	ret->frame[3] = (uint8_t)((sample[3] & 0xf0) | ret->len >> 11);
	ret->frame[4] = (uint8_t)(ret->len >> 3);
	/* adts_buffer_fullness 0x7ff: variable bit rate */
	ret->frame[5] = (uint8_t)(ret->len << 5 | 0x1f);
	ret->frame[6] = 0xfc;
	ret->samples = 1024;
	ret->rate = frame->rate;
	return true;
}

bool silent_make(const uint8_t *sample, size_t len, struct silent *ret)
{
	struct audio_frame frame;

	if (len < AUDIO_HEAD || !audio_frame_parse(sample, &frame))
		return false;
	switch (frame.codec) {
	case AUDIO_MPEG:
		return make_mpeg(sample, ret);
	case AUDIO_ADTS:
		return make_adts(sample, &frame, ret);
	case AUDIO_LATM:
		return silent_make_latm(sample, len, ret);
	default:
		return silent_make_ac3(sample, len, ret);
	}
}

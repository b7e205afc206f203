/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/audio.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <string.h>

struct sample {
	const char *name;
	uint8_t head[AUDIO_HEAD];
	struct audio_frame frame;
};

static const struct sample samples[] = {
	{ "layer II, 192 kbit/s, 48 kHz", { 0xff, 0xfd, 0xa4, 0x04 },
	  { AUDIO_MPEG, 576, 1152, 48000 } },
	{ "layer III, 128 kbit/s, 44.1 kHz, padded",
	  { 0xff, 0xfb, 0x92, 0x64 }, { AUDIO_MPEG, 418, 1152, 44100 } },
	{ "layer I, 384 kbit/s, 32 kHz", { 0xff, 0xff, 0xc8, 0 },
	  { AUDIO_MPEG, 576, 384, 32000 } },
	{ "layer III of MPEG-2, 64 kbit/s, 24 kHz", { 0xff, 0xf3, 0x84, 0 },
	  { AUDIO_MPEG, 192, 576, 24000 } },
	{ "layer III of 2.5, 8 kbit/s, 8 kHz", { 0xff, 0xe3, 0x18, 0 },
	  { AUDIO_MPEG, 72, 576, 8000 } },
	{ "ADTS, 48 kHz", { 0xff, 0xf1, 0x4c, 0x80, 0x2e, 0x7f, 0xfc },
	  { AUDIO_ADTS, 371, 1024, 48000 } },
	{ "ADTS, four blocks", { 0xff, 0xf1, 0x4c, 0x80, 0x2e, 0x7f, 0xff },
	  { AUDIO_ADTS, 371, 4096, 48000 } },
	{ "AC-3, 448 kbit/s, 48 kHz", { 0x0b, 0x77, 0, 0, 0x1e, 0x40, 0xe1 },
	  { AUDIO_AC3, 1792, 1536, 48000 } },
	{ "AC-3, 96 kbit/s, 44.1 kHz", { 0x0b, 0x77, 0, 0, 0x4d, 0x40, 0x2f },
	  { AUDIO_AC3, 418, 1536, 44100 } },
	{ "AC-3, 32 kbit/s, 32 kHz", { 0x0b, 0x77, 0, 0, 0x80, 0x40, 0x2f },
	  { AUDIO_AC3, 192, 1536, 32000 } },
	{ "E-AC-3", { 0x0b, 0x77, 0x01, 0x7f, 0x34, 0x87, 0xe0 },
	  { AUDIO_EAC3, 768, 1536, 48000 } },
	{ "E-AC-3, two blocks", { 0x0b, 0x77, 0x01, 0x7f, 0x14, 0x87, 0xe0 },
	  { AUDIO_EAC3, 768, 512, 48000 } },
	{ "E-AC-3, half the rate", { 0x0b, 0x77, 0x01, 0x7f, 0xc4, 0x87, 0xe0 },
	  { AUDIO_EAC3, 768, 1536, 24000 } },
	{ "E-AC-3, dependent", { 0x0b, 0x77, 0x41, 0x7f, 0x34, 0x87, 0xe0 },
	  { AUDIO_EAC3, 768, 0, 48000 } },
	{ "LATM", { 0x56, 0xe1, 0x20 }, { AUDIO_LATM, 291, 1024, 0 } },
};

Test(audio, finds_frames_by_their_headers)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		struct audio_frame f;

		cr_assert(audio_frame_parse(s->head, &f), "%s", s->name);
		cr_assert_eq(f.codec, s->frame.codec, "%s", s->name);
		cr_assert_eq(f.len, s->frame.len, "%s: %u", s->name, f.len);
		cr_assert_eq(f.samples, s->frame.samples, "%s", s->name);
		cr_assert_eq(f.rate, s->frame.rate, "%s: %u", s->name, f.rate);
	}
}

Test(audio, rejects_other_bytes)
{
	static const uint8_t bad[][AUDIO_HEAD] = {
		{ 0 }, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
		{ 0xff, 0xfd, 0xf4 },  /* bitrate 15 */
		{ 0xff, 0xfd, 0x04 },  /* free format */
		{ 0xff, 0xfd, 0xac },  /* rate 3 */
		{ 0xff, 0xed, 0xa4 },  /* version 1 */
		{ 0xff, 0xf1, 0x7c, 0x80, 0x2e, 0x7f, 0xfc }, /* rate 15 */
		{ 0xff, 0xf1, 0x4c, 0x80, 0x00, 0x7f, 0xfc }, /* 3 bytes */
		{ 0x0b, 0x77, 0, 0, 0xde, 0x40, 0xe1 },
		{ 0x0b, 0x77, 0, 0, 0x26, 0x40, 0xe1 },
		{ 0x0b, 0x77, 0xc1, 0x7f, 0x34, 0x87, 0xe0 },
		{ 0x0b, 0x77, 0x01, 0x7f, 0x34, 0x97, 0xe0 },
		{ 0x56, 0xe0, 0x01 },
	};
	struct audio_frame f;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_assert_not(audio_frame_parse(bad[i], &f), "%zu", i);
}

/* How many frames are found in data cut every `step` bytes. */
static unsigned walk(const uint8_t *data, size_t len, size_t step)
{
	struct audio_walk w = { 0 };
	struct audio_frame f;
	unsigned found = 0;

	for (size_t at = 0; at < len; at += step) {
		const uint8_t *p = data + at;
		size_t n = MIN(step, len - at);

		while (audio_walk(&w, &p, &n, &f)) {
			cr_assert_eq(f.len, 576);
			found++;
		}
		cr_assert_eq(n, 0);
	}
	return found;
}

Test(audio, finds_frames_wherever_the_bytes_are_cut)
{
	uint8_t data[20 * 576] = { 0 };

	for (size_t i = 0; i < 20; i++)
		memcpy(data + i * 576, samples[0].head, AUDIO_HEAD);
	for (size_t step = 1; step < 700; step++)
		cr_assert_eq(walk(data, sizeof data, step), 20, "%zu", step);
	/* damaged frames are skipped */
	data[5 * 576] = 0;
	cr_assert_eq(walk(data, sizeof data, 184), 19);
	memmove(data + 7 * 576 + 100, data + 8 * 576, 12 * 576);
	cr_assert_geq(walk(data, sizeof data - 476, 184), 17);
}

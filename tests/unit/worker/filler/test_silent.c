/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/system/splice shows with ffmpeg that they decode, to silence.
 * Here: they are frames, of the parameters they were made for. */
#include "worker/filler/silent.h"

#include "common/base/util.h"
#include "worker/ts/audio.h"

#include <criterion/criterion.h>
#include <string.h>

static uint16_t crc16(const uint8_t *data, size_t len)
{
	uint32_t crc = 0;

	for (size_t i = 0; i < 8 * len; i++) {
		uint32_t bit = data[i / 8] >> (7 - i % 8) & 1;

		crc = crc << 1 | bit;
		if (crc & 0x10000)
			crc ^= 0x18005;
	}
	return (uint16_t)crc;
}

struct coding {
	const char *name;
	uint8_t sample[16];
	size_t len; /* of a silent frame */
	uint32_t samples, rate;
};

static const struct coding codings[] = {
	{ "layer II", { 0xff, 0xfc, 0xa6, 0x04 }, 576, 1152, 48000 },
	{ "layer III", { 0xff, 0xfb, 0x92, 0x64 }, 417, 1152, 44100 },
	{ "AAC mono", { 0xff, 0xf1, 0x4c, 0x40, 0x2e, 0x7f, 0xfc },
	  11, 1024, 48000 },
	{ "AAC stereo with CRC", { 0xff, 0xf0, 0x50, 0x80, 0x2e, 0x7f, 0xfc },
	  13, 1024, 44100 },
	{ "AAC 7.1", { 0xff, 0xf1, 0x4d, 0xc0, 0x2e, 0x7f, 0xfc },
	  31, 1024, 48000 },
	{ "AC-3 stereo", { 0x0b, 0x77, 1, 2, 0x14, 0x40, 0x43 },
	  768, 1536, 48000 },
	{ "AC-3 5.1", { 0x0b, 0x77, 1, 2, 0x1e, 0x40, 0xe1 },
	  1792, 1536, 48000 },
	/* every bit of it has to fit */
	{ "AC-3 5.1 in the shortest frame", { 0x0b, 0x77, 1, 2, 0, 0x40, 0xe1 },
	  128, 1536, 48000 },
	{ "AC-3 1+1", { 0x0b, 0x77, 1, 2, 0x4d, 0x40, 0x00 },
	  418, 1536, 44100 },
	{ "E-AC-3 stereo", { 0x0b, 0x77, 0x01, 0x7f, 0x34, 0x87, 0xe0 },
	  768, 1536, 48000 },
	{ "E-AC-3 of one block", { 0x0b, 0x77, 0x00, 0x7f, 0x04, 0x87, 0xe0 },
	  256, 256, 48000 },
	/* 48 kHz, stereo, AAC-LC */
	{ "LATM", { 0x56, 0xe0, 0x80, 0x20, 0x00, 0x11, 0x90, 0x1f, 0xe0 },
	  16, 1024, 48000 },
};

Test(silent, frames_have_the_coding_of_the_sample)
{
	for (size_t i = 0; i < ARRAY_LEN(codings); i++) {
		const struct coding *c = &codings[i];
		struct audio_frame was, is;
		struct silent s;

		cr_assert(audio_frame_parse(c->sample, &was), "%s", c->name);
		cr_assert(silent_make(c->sample, sizeof c->sample, &s), "%s",
			  c->name);
		cr_assert_eq(s.len, c->len, "%s: %zu", c->name, s.len);
		cr_assert_eq(s.samples, c->samples, "%s", c->name);
		cr_assert_eq(s.rate, c->rate, "%s: %u", c->name, s.rate);
		cr_assert(audio_frame_parse(s.frame, &is), "%s", c->name);
		cr_assert_eq(is.codec, was.codec, "%s", c->name);
		cr_assert_eq(is.rate, was.rate, "%s", c->name);
		cr_assert_eq(is.len, s.len, "%s: %u", c->name, is.len);
	}
}

Test(silent, ac3_has_two_valid_checksums)
{
	for (size_t i = 0; i < ARRAY_LEN(codings); i++) {
		const struct coding *c = &codings[i];
		struct audio_frame is;
		struct silent s;

		(void)silent_make(c->sample, sizeof c->sample, &s);
		(void)audio_frame_parse(s.frame, &is);
		if (is.codec == AUDIO_AC3) {
			size_t words = s.len / 2;
			size_t front = 2 * (words / 2 + words / 8);

			cr_assert_eq(crc16(s.frame + 2, front - 2), 0, "%s",
				     c->name);
		}
		if (is.codec == AUDIO_AC3 || is.codec == AUDIO_EAC3)
			cr_assert_eq(crc16(s.frame + 2, s.len - 2), 0, "%s",
				     c->name);
	}
}

Test(silent, rejects_codings_without_a_silent_frame)
{
	static const uint8_t bad[][16] = {
		{ 0 },
		{ 0xff, 0xf1, 0x4c, 0x00, 0x2e, 0x7f, 0xfc }, /* PCE */
		{ 0x0b, 0x77, 0x41, 0x7f, 0x34, 0x87, 0xe0 }, /* dependent */
		{ 0x0b, 0x77, 0x01, 0x7f, 0xc4, 0x87, 0xe0 }, /* half rate */
		{ 0x56, 0xe0, 0x80, 0x80 }, /* configuration elsewhere */
		{ 0x56, 0xe0, 0x80, 0x60, 0x00, 0x11, 0x90, 0x1f, 0xe0 },
		/* 0xffffff samples in a second */
		{ 0x56, 0xe0, 0x80, 0x20, 0x00, 0x17, 0xff, 0xff, 0xff, 0x90,
		  0x1f, 0xe0 },
	};
	struct silent s;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		cr_assert_not(silent_make(bad[i], sizeof bad[i], &s), "%zu",
			      i);
	cr_assert_not(silent_make(codings[0].sample, 3, &s));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/rap.h"

#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <string.h>

Test(rap, finds_where_a_decoder_can_begin)
{
	static const struct {
		const char *what;
		uint8_t type;
		const char *es;
		size_t len;
		bool start;
	} cases[] = {
		{ "H.264 AUD, SPS", 0x1b, "\0\0\1\x09\xf0\0\0\1\x67\x42x", 11,
		  true },
		{ "H.264 IDR", 0x1b, "\0\0\0\1\x65\x88xx", 8, true },
		{ "H.264 AUD, slice", 0x1b, "\0\0\1\x09\xf0\0\0\1\x41\x9ax",
		  11, false },
		{ "H.264 slice, then IDR", 0x1b,
		  "\0\0\1\x41\x9a\0\0\1\x65\x88xx", 12, false },
		{ "H.264 SEI alone", 0x1b, "\0\0\1\x06\1\2\3\4", 8, false },
		{ "HEVC AUD, VPS", 0x24, "\0\0\1\x46\1\0\0\1\x40\1x", 11,
		  true },
		{ "HEVC CRA", 0x24, "\0\0\1\x2a\1xx", 7, true },
		{ "HEVC trailing picture", 0x24, "\0\0\1\x02\1xx", 7, false },
		{ "VVC VPS", 0x33, "\0\0\1\0\x71xx", 7, true },
		{ "VVC CRA", 0x33, "\0\0\1\0\x49xx", 7, true },
		{ "VVC trailing picture", 0x33, "\0\0\1\0\1xx", 7, false },
		{ "MPEG-2 sequence", 0x02, "\0\0\1\xb3xx", 6, true },
		{ "MPEG-2 picture", 0x02, "\0\0\1\0xx", 6, false },
		{ "AVS sequence", 0x42, "\0\0\1\xb0xx", 6, true },
		{ "MPEG-4 object sequence", 0x10, "\0\0\1\xb0xx", 6, true },
		{ "MPEG-4 object layer", 0x10, "\0\0\1\x20xx", 6, true },
		{ "VC-1 sequence", 0xea, "\0\0\1\x0fxx", 6, true },
		{ "VC-1 frame", 0xea, "\0\0\1\x0d\0\0\1\x0fxx", 10, false },
		{ "AVS picture", 0x42, "\0\0\1\xb6xx", 6, false },
		{ "MPEG-4 picture", 0x10, "\0\0\1\xb6\0\0\1\x20xx", 10,
		  false },
		{ "MPEG-2 group, picture", 0x02, "\0\0\1\xb8\0\0\1\0xx", 10,
		  false },
		{ "unknown codec", 0x21, "\0\0\1\xb3xx", 6, false },
		{ "no start code", 0x1b, "xxxxxxxx", 8, false },
		{ "start code cut off", 0x1b, "xxx\0\0\1", 6, false },
		{ "1 0 1", 0x1b, "\1\0\1\x65xx", 6, false },
		{ "0 1 1", 0x1b, "x\0\1\1\x65xx", 7, false },
		{ "0 0 2", 0x1b, "xx\0\0\2\x65xx", 8, false },
		{ "empty", 0x1b, "", 0, false },
	};
	struct build *b = build_new();

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint8_t *p = build_pes(b, 0x101, cases[i].es,
					     cases[i].len);

		cr_expect_eq(rap_is_start(p, cases[i].type, PID_VIDEO),
			     cases[i].start, "%s", cases[i].what);
	}
	build_free(b);
}

Test(rap, follows_the_indicator_but_not_of_scrambled_packets)
{
	struct build *b = build_new();
	uint8_t *p = build_pes(b, 0x101, "", 0);

	cr_assert(!rap_is_start(p, 0x1b, PID_VIDEO));
	p[5] |= 0x40; /* random_access_indicator */
	cr_assert(rap_is_start(p, 0x1b, PID_VIDEO));
	p[3] |= 0x80;
	cr_assert(!rap_is_start(p, 0x1b, PID_VIDEO));
	p[3] &= 0x3f;
	p[1] |= 0x80;
	cr_assert(!rap_is_start(p, 0x1b, PID_VIDEO));
	p[1] &= 0x3f; /* neither TEI nor PUSI */
	cr_assert(!rap_is_start(p, 0x1b, PID_VIDEO));
	build_free(b);
}

Test(rap, needs_no_adaptation_field)
{
	struct build *b = build_new();
	uint8_t *p = build_payload(b, 0x101, 0xff);

	p[1] |= 0x40;
	memcpy(p + 4, "\0\0\1\xe0\0\0\x80\x80\5\x21\0\1\0\x0b", 14);
	memcpy(p + TS_PACKET - 5, "\0\0\1\x65\x88", 5);
	cr_assert(rap_is_start(p, 0x1b, PID_VIDEO));
	build_free(b);
}

Test(rap, accepts_each_pes_of_audio)
{
	struct build *b = build_new();
	uint8_t *p = build_pes(b, 0x102, "xx", 2);

	cr_assert(rap_is_start(p, 0x03, PID_AUDIO));
	cr_assert(!rap_is_start(p, 0x06, PID_SUBTITLE));
	p[5 + p[4]] = 7; /* no PES any more */
	cr_assert(!rap_is_start(p, 0x03, PID_AUDIO));

	/* nine bytes of the header are enough, eight are not */
	for (size_t len = 8; len <= 9; len++) {
		p[4] = (uint8_t)(TS_PACKET - 5 - len);
		memcpy(p + TS_PACKET - len, "\0\0\1\xc0\0\0\x80\0", 8);
		cr_assert_eq(rap_is_start(p, 0x03, PID_AUDIO), len == 9);
	}
	build_free(b);
}

Test(rap, a_pes_header_longer_than_the_packet_is_no_start)
{
	struct build *b = build_new();
	uint8_t *p = build_pes(b, 0x101, "\0\0\1\x65\x88xx", 7);

	cr_assert(rap_is_start(p, 0x1b, PID_VIDEO));
	p[5 + p[4] + 8] = 255; /* PES_header_data_length */
	cr_assert(!rap_is_start(p, 0x1b, PID_VIDEO));
	build_free(b);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/packed_audio.h"

#include "worker/net/hls/audio_track.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <string.h>

enum { FRAME = 200, RATE = 48000 };

static const char owner[] = "com.apple.streaming.transportStreamTimestamp";

/* ID3v2.4 with a time stamp; returns its length. */
static size_t make_tag(uint8_t *p, uint64_t stamp)
{
	memset(p, 0, 73);
	memcpy(p, "ID3\x04", 4);
	p[9] = 63;
	memcpy(p + 10, "PRIV", 4);
	p[17] = 53;
	memcpy(p + 20, owner, sizeof owner);
	for (int i = 0; i < 8; i++)
		p[65 + i] = (uint8_t)(stamp >> (56 - 8 * i));
	return 73;
}

/* A frame of AAC in ADTS at 48 kHz, filled with a number. */
static size_t make_frame(uint8_t *p, uint8_t number)
{
	memset(p, number, FRAME);
	memcpy(p, (const uint8_t[7]){ 0xff, 0xf1, 0x4c,
		0x80 | FRAME >> 11, FRAME >> 3 & 0xff,
		(FRAME & 7) << 5 | 0x1f, 0xfc }, 7);
	return FRAME;
}

static size_t make_frames(uint8_t *p, int n)
{
	size_t len = 0;

	for (int i = 0; i < n; i++)
		len += make_frame(p + len, (uint8_t)i);
	return len;
}

/* The elementary stream in the packets, without the PES header. */
static size_t payload(const uint8_t *packets, size_t n, uint8_t *ret)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = packets + i * TS_PACKET;
		size_t at = ts_payload_offset(p);

		cr_assert_eq(ts_pusi(p), i == 0);
		if (i == 0)
			at += PACKED_HEADER;
		memcpy(ret + len, p + at, TS_PACKET - at);
		len += TS_PACKET - at;
	}
	return len;
}

Test(packed_audio, frames_keep_their_content_and_times)
{
	static struct packed_audio p;
	uint8_t in[73 + 16 * FRAME], out[sizeof in] = { 0 };
	uint8_t packets[PACKED_PACKETS_MAX * TS_PACKET];
	size_t tag = make_tag(in, 900000), len = tag, had = 0, n, frames = 0;
	uint64_t pts;

	len += make_frames(in + len, 16);
	packed_audio_segment(&p);
	/* split anywhere */
	for (size_t at = 0; at < len; at += 31) {
		packed_audio_push(&p, in + at, MIN(len - at, (size_t)31));
		while ((n = packed_audio_pull(&p, at + 31 >= len, packets)) >
		       0) {
			cr_assert(pes_pts(packets, &pts));
			cr_assert_eq(pts, 900000 +
				     frames * 1024 * 90000 / RATE);
			had += payload(packets, n, out + had);
			frames = had / FRAME;
		}
	}
	cr_assert_eq(had, 16 * FRAME);
	cr_assert_eq(memcmp(out, in + tag, had), 0);
	cr_assert_eq(packed_audio_stream_type(&p), 0x0f);
	buf_done(&p.bytes);
}

Test(packed_audio, a_segment_without_a_tag_continues_the_time)
{
	static struct packed_audio p;
	uint8_t in[73 + 2 * FRAME];
	uint8_t packets[PACKED_PACKETS_MAX * TS_PACKET];
	size_t len = make_tag(in, 90000);
	uint64_t pts;

	len += make_frames(in + len, 2);
	packed_audio_push(&p, in, len);
	cr_assert_gt(packed_audio_pull(&p, true, packets), 0);
	packed_audio_segment(&p);
	packed_audio_push(&p, in + 73, len - 73);
	cr_assert_gt(packed_audio_pull(&p, true, packets), 0);
	cr_assert(pes_pts(packets, &pts));
	cr_assert_eq(pts, 90000 + 2 * 1024 * 90000 / RATE);
	buf_done(&p.bytes);
}

Test(packed_audio, skips_a_tag_that_is_too_long)
{
	static struct packed_audio p;
	static uint8_t junk[64 * 1024];
	uint8_t in[FRAME], packets[PACKED_PACKETS_MAX * TS_PACKET];
	size_t size = PACKED_TAG_MAX * 2, n;

	memcpy(junk, "ID3\x04", 4);
	junk[6] = (uint8_t)(size >> 21 & 0x7f);
	junk[7] = (uint8_t)(size >> 14 & 0x7f);
	for (size_t at = 0; at < size + 10; at += n) {
		n = MIN(size + 10 - at, sizeof junk);
		packed_audio_push(&p, junk, n);
		cr_assert_eq(packed_audio_pull(&p, false, packets), 0);
		cr_assert_leq(buf_len(&p.bytes), 10);
		memset(junk, 0, 10);
	}
	packed_audio_push(&p, in, make_frame(in, 1));
	cr_assert_gt(packed_audio_pull(&p, true, packets), 0);
	buf_done(&p.bytes);
}

/* Seven bytes each, in a PES each. */
Test(packed_audio, the_smallest_frames_fit_the_output)
{
	static uint8_t in[16000];
	struct audio_track *s = audio_track_new();
	size_t len = make_tag(in, 900000);

	for (unsigned i = 0; len + 7 <= sizeof in; len += 7, i++)
		memcpy(in + len, (const uint8_t[7]){ 0xff, 0xf1,
			i % 2 ? 0x4c : 0x50, 0x80, 0, 7 << 5 | 0x1f, 0xfc },
		       7);
	audio_track_begin(s, true);
	for (int i = 0; i < 100; i++)
		(void)audio_track_push(s, in, len);
	cr_assert_gt(audio_track_packets(s), 0);
	cr_assert(audio_track_is_full(s));
	audio_track_free(&s);
}

Test(packed_audio, skips_bytes_outside_frames)
{
	static struct packed_audio p;
	uint8_t in[100 + FRAME], packets[PACKED_PACKETS_MAX * TS_PACKET];

	memset(in, 0xff, 100);
	packed_audio_push(&p, in, 100 + make_frame(in + 100, 1));
	cr_assert_gt(packed_audio_pull(&p, true, packets), 0);
	cr_assert_eq(p.junk, 100);
	buf_done(&p.bytes);
}

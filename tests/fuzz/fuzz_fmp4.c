/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of any kind as a segment that becomes fMP4: the boxes fill the
 * fragment, and its samples the data.
 */
#include "tests/fuzz/fuzz.h"
#include "worker/fragment/fmp4.h"

#include <stdlib.h>
#include <string.h>

static void check(bool holds)
{
	if (!holds)
		abort();
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

/* The boxes from at on are whole; the place of the last one. */
static size_t walk(const uint8_t *data, size_t len)
{
	size_t at = 0, last = 0;

	while (at < len) {
		check(len - at >= 8 && be32(data + at) >= 8 &&
		      be32(data + at) <= len - at);
		last = at;
		at += be32(data + at);
	}
	return last;
}

/* data[0]: a quarter of the packets is that of the segment, with its bit 7 the
 * bytes are the last ones, with bit 6 it is the second half of the segment, and
 * with bit 5 it has the frames that end in it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf init = { 0 }, media = { 0 };
	struct errmsg error = { .text = "" };
	struct fmp4_lack lack;
	struct fmp4_source s = { .data = data + 1, .near = 1000000 };
	size_t mdat;

	if (size < 1)
		return 0;
	s.len = (size - 1) / 188 * 188;
	s.own = s.len / 4 * ((data[0] & 3U) + 1) / 188 * 188;
	s.last = data[0] & 0x80;
	s.from = data[0] & 0x40 ? s.own / 2 / 188 * 188 : 0;
	s.past = fmp4_past_new();
	if (fmp4_make(&s, &init, &media, &lack, &error) == 0) {
		size_t len = buf_len(&init), again;

		(void)walk(buf_head(&init), buf_len(&init));
		mdat = walk(buf_head(&media), buf_len(&media));
		check(memcmp(buf_head(&media) + mdat + 4, "mdat", 4) == 0);
		/* its tracks are known now */
		again = buf_len(&media);
		check(fmp4_make(&s, &init, &media, &lack, &error) == 0);
		check(buf_len(&init) == 2 * len &&
		      buf_len(&media) == 2 * again);
	} else {
		check(buf_len(&init) == 0 && buf_len(&media) == 0);
		(void)fmp4_lack_feed(&lack, s.data, s.len);
	}
	fmp4_past_free(&s.past);
	/* the same behind a part that was left out */
	s.state = fmp4_state_new();
	(void)!fmp4_skip(&(struct fmp4_source){
		.data = s.data, .len = s.from, .near = s.near,
		.state = s.state });
	s.rest = data[0] & 0x20;
	s.data += s.from;
	s.len -= s.from;
	s.own -= s.from;
	s.from = 0;
	for (unsigned i = 0; i < 2; i++)
		(void)!fmp4_make(&s, &init, &media, &lack, &error);
	fmp4_state_free(&s.state);
	buf_done(&init);
	buf_done(&media);
	return 0;
}

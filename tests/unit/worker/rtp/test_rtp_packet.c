/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/rtp/rtp_packet.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t plain[] = {
	0x80, 0xa1, 0x12, 0x34, 0x01, 0x02, 0x03, 0x04,
	0xde, 0xad, 0xbe, 0xef, 0x47, 0x11, 0x22,
};

Test(rtp_packet, finds_the_payload)
{
	struct rtp_datagram d;

	cr_assert_eq(rtp_parse(plain, sizeof plain, &d), 0);
	cr_assert_eq(d.seq, 0x1234);
	cr_assert_eq(d.timestamp, 0x01020304);
	cr_assert_eq(d.ssrc, 0xdeadbeef);
	cr_assert_eq(d.payload_type, 33);
	cr_assert_eq(d.payload, plain + 12);
	cr_assert_eq(d.len, 3);
}

struct rtp_case {
	const char *what;
	uint8_t data[40];
	size_t len;
	int err;
	size_t head, payload;
};

static const struct rtp_case cases[] = {
	{ "nothing in it", { 0x80 }, 12, 0, 12, 0 },
	{ "two CSRCs", { 0x82 }, 24, 0, 20, 4 },
	{ "CSRCs beyond the end", { 0x8f }, 40, -EBADMSG, 0, 0 },
	{ "an extension of one word",
	  { 0x90, [14] = 0, [15] = 1 }, 24, 0, 20, 4 },
	{ "an extension behind CSRCs",
	  { 0x91, [18] = 0, [19] = 2 }, 32, 0, 28, 4 },
	{ "an extension beyond the end",
	  { 0x90, [14] = 0xff, [15] = 0xff }, 40, -EBADMSG, 0, 0 },
	{ "an extension header cut off", { 0x90 }, 14, -EBADMSG, 0, 0 },
	{ "padding", { 0xa0, [19] = 3 }, 20, 0, 12, 5 },
	{ "nothing but padding", { 0xa0, [15] = 4 }, 16, 0, 12, 0 },
	{ "padding of no bytes", { 0xa0, [15] = 0 }, 16, -EBADMSG, 0, 0 },
	{ "more padding than payload", { 0xa0, [15] = 5 }, 16, -EBADMSG, 0,
	  0 },
	{ "padding without payload", { 0xa0, [11] = 1 }, 12, -EBADMSG, 0, 0 },
	{ "another version", { 0x40 }, 20, -EBADMSG, 0, 0 },
	{ "too short", { 0x80 }, 11, -EBADMSG, 0, 0 },
	{ "empty", { 0 }, 0, -EBADMSG, 0, 0 },
	{ "version 0", { 0x00 }, 20, -EBADMSG, 0, 0 },
	{ "version 3", { 0xc0 }, 20, -EBADMSG, 0, 0 },
	{ "every part: CSRC, extension, padding",
	  { 0xb1, [18] = 0, [19] = 1, [27] = 2 }, 28, 0, 24, 2 },
	{ "CSRCs to the end", { 0x82 }, 20, 0, 20, 0 },
	{ "an extension to the end", { 0x90, [15] = 1 }, 20, 0, 20, 0 },
	{ "padding over the extension",
	  { 0xb0, [15] = 1, [23] = 5 }, 24, -EBADMSG, 0, 0 },
};

Test(rtp_packet, checks_every_length_in_the_header)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct rtp_case *c = &cases[i];
		struct rtp_datagram d = { 0 };

		cr_assert_eq(rtp_parse(c->data, c->len, &d), c->err, "%s",
			     c->what);
		if (c->err < 0)
			continue;
		cr_assert_eq(d.payload, c->data + c->head, "%s", c->what);
		cr_assert_eq(d.len, c->payload, "%s", c->what);
	}
}

Test(rtp_packet, rejects_datagrams_shorter_than_a_header)
{
	struct rtp_datagram d;

	for (unsigned first = 0; first < 256; first++)
		for (size_t len = 0; len < RTP_HEADER; len++) {
			/* no byte behind it may be read */
			uint8_t *data = malloc(len > 0 ? len : 1);

			memset(data, 0, len);
			if (len > 0)
				data[0] = (uint8_t)first;
			cr_assert_eq(rtp_parse(data, len, &d), -EBADMSG);
			free(data);
		}
}

Test(rtp_packet, distinguishes_media_from_rtcp_by_type)
{
	uint8_t data[20] = { 0x80 };
	struct rtp_datagram d;

	for (unsigned type = 0; type < 256; type++) {
		bool rtcp = type >= 192 && type <= 223;
		unsigned payload = type & 0x7f;

		data[1] = (uint8_t)type;
		cr_assert_eq(rtp_parse(data, sizeof data, &d), 0);
		cr_assert_eq(rtp_is_media(&d), payload == 33 || payload >= 96);
		cr_assert_eq(rtp_is_rtcp(data, sizeof data), rtcp, "%u", type);
	}
	data[1] = 200;
	cr_assert(rtp_is_rtcp(data, 4));
	cr_assert(!rtp_is_rtcp(data, 3));
	data[0] = 0x40;
	cr_assert(!rtp_is_rtcp(data, sizeof data), "another version");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/rtp.h"

#include "common/util.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static const uint8_t plain[] = {
	0x80, 0xa1, 0x12, 0x34, 0x01, 0x02, 0x03, 0x04,
	0xde, 0xad, 0xbe, 0xef, 0x47, 0x11, 0x22,
};

Test(rtp, takes_the_header_off)
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
};

Test(rtp, judges_every_length_in_the_header)
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

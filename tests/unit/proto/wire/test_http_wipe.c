/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_request.h"

#include <criterion/criterion.h>
#include <string.h>

Test(http_wipe, the_bytes_of_a_request_are_wiped)
{
	static const char secret[] = "c2VjcmV0c2VjcmV0";
	struct http_request *r = http_request_new(1000);
	struct buf in = { 0 };
	const char *header;
	const uint8_t *body;
	size_t len;

	buf_printf(&in, "POST / HTTP/1.1\r\nHost: x\r\n"
			"Authorization: Basic %s\r\nContent-Length: 16\r\n"
			"\r\n%s", secret, secret);
	while (http_request_feed(r, &in) == HTTP_HAVE_HEAD)
		continue;
	header = http_request_header(r, "authorization");
	body = http_request_body(r, &len);
	cr_assert_str_eq(header, "Basic c2VjcmV0c2VjcmV0");
	cr_assert_eq(len, 16);
	cr_assert_eq(memcmp(body, secret, 16), 0);
	/* the memory is kept for the next request */
	http_request_reset(r);
	for (size_t i = 0; i < 16; i++) {
		cr_assert_eq(header[i], '\0');
		cr_assert_eq(body[i], 0);
	}
	buf_done(&in);
	http_request_free(&r);
}

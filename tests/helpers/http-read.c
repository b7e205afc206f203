/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads requests as the servers do and prints them, for a comparison with
 * another reader.
 *
 * In: a length (32 bits, little endian) and that many bytes of one connection,
 * again and again.  Out: a line per connection, "METHOD:body in hex" for each
 * whole request, parted by blanks.
 */
#include "common/base/buf.h"
#include "proto/wire/http_request.h"

#include <stdio.h>

enum { BODY_MAX = 65536 };

static void tell(const struct http_request *r)
{
	size_t len;
	const uint8_t *body = http_request_body(r, &len);

	printf("%s:", http_request_method(r));
	for (size_t i = 0; i < len; i++)
		printf("%02x", body[i]);
	putchar(' ');
}

static void read_connection(struct buf *in)
{
	struct http_request *r = http_request_new(BODY_MAX);
	enum http_state state = http_request_feed(r, in);

	while (state == HTTP_HAVE_HEAD || state == HTTP_COMPLETE) {
		if (state == HTTP_COMPLETE) {
			tell(r);
			/* data after a request to upgrade is ignored, as other
			 * readers do */
			if (!http_request_keep_alive(r) ||
			    http_request_header(r, "upgrade"))
				break;
			http_request_reset(r);
		}
		state = http_request_feed(r, in);
	}
	http_request_free(&r);
	putchar('\n');
}

int main(void)
{
	struct buf in = { 0 };
	uint32_t len;

	while (fread(&len, sizeof len, 1, stdin) == 1) {
		if (fread(buf_reserve(&in, len), 1, len, stdin) != len)
			break;
		buf_added(&in, len);
		read_connection(&in);
		buf_reset(&in, SIZE_MAX);
	}
	buf_done(&in);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of any kind as a series of HTTP requests: the first byte selects the
 * pieces in which they arrive; the result must not depend on it.
 */
#include "common/base/utf8.h"
#include "proto/wire/http_request.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pieces.h"

#include <string.h>

enum { BODY_MAX = 4096 };

/* The guarantees for a router. */
static void check_path(const char *path)
{
	must(path[0] == '/' || strcmp(path, "*") == 0);
	must(utf8_is_valid(path, strlen(path)));
	must(!strstr(path, "//") && !strstr(path, "/../"));
	must(!strstr(path, "/./") && !strchr(path, '\\'));
	must(strlen(path) < 3 || strcmp(path + strlen(path) - 3, "/..") != 0);
	for (const char *p = path; *p; p++)
		must((unsigned char)*p >= 0x20 && *p != 0x7f);
}

static void check_head(const struct http_request *r)
{
	const char *host = http_request_header(r, "host");
	char value[64];

	check_path(http_request_path(r));
	must(http_request_minor(r) <= 1);
	must(host || http_request_minor(r) == 0);
	must(!http_request_header(r, "content-length") ||
	     !http_request_header(r, "transfer-encoding"));
	(void)http_request_query_get(r, "token", value, sizeof value);
}

static void note(struct buf *log, const struct http_request *r)
{
	size_t len;
	const uint8_t *body = http_request_body(r, &len);

	must(len <= BODY_MAX);
	buf_printf(log, "%s %s ?%s %d %zu:", http_request_method(r),
		   http_request_path(r), http_request_query(r),
		   http_request_keep_alive(r), len);
	buf_append(log, body, len);
}

/* Feeds the stream in pieces and records the result. */
static void run(const uint8_t *data, size_t size, size_t step, struct buf *log)
{
	struct http_request *r = http_request_new(BODY_MAX);
	enum http_state state = HTTP_MORE;
	struct buf in = { 0 };

	for (size_t at = 0; at < size && state != HTTP_FAILED; at += step) {
		buf_append(&in, data + at, MIN(step, size - at));
		do {
			state = http_request_feed(r, &in);
			if (state == HTTP_HAVE_HEAD)
				check_head(r);
			if (state == HTTP_COMPLETE) {
				note(log, r);
				http_request_reset(r);
			}
		} while (state == HTTP_HAVE_HEAD ||
			 (state == HTTP_COMPLETE && buf_len(&in) > 0));
	}
	buf_printf(log, "%d", http_request_status(r));
	buf_done(&in);
	http_request_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_in_pieces(run, data, size);
	return 0;
}

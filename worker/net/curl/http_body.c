/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/http_body.h"

#include <errno.h>

enum {
	/* Time limit of the whole transfer, so that a server that sends byte by
	 * byte fails. */
	LIMIT_S = 30,
	KEEP = 64 * 1024, /* bytes of memory that are kept for the next body */
};

static enum fetch_taken on_data(const uint8_t *data, size_t len, void *arg)
{
	struct http_body *b = arg;

	b->too_big = buf_len(&b->buf) + len > b->max;
	if (b->too_big)
		return FETCH_ENOUGH;
	buf_append(&b->buf, data, len);
	return FETCH_TAKEN;
}

int http_body_load(struct http_body *b, struct fetcher *fetcher,
		   const char *url, size_t max, struct errmsg *error)
{
	struct fetch_request request = {
		.url = url, .limit_s = LIMIT_S, .is_text = true,
		.on_data = on_data, .arg = b,
	};
	int err = 0;

	http_body_end(b);
	buf_reset(&b->buf, KEEP);
	b->max = max;
	b->too_big = false;
	b->fetch = fetch_new(fetcher, &request, &err, error);
	return err;
}

void http_body_done(struct http_body *b)
{
	http_body_end(b);
	buf_done(&b->buf);
}

int http_body_poll(const struct http_body *b, struct errmsg *error)
{
	switch (fetch_state(b->fetch)) {
	case FETCH_RUNS:
		return 0;
	case FETCH_FAILED:
		return fetch_error(b->fetch, error);
	case FETCH_DONE:
		break;
	}
	if (b->too_big)
		return errmsg_fail(error, -EFBIG, "longer than %zu bytes",
				   b->max);
	return 1;
}

void http_body_end(struct http_body *b)
{
	fetch_free(&b->fetch);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/http_body.h"

#include <errno.h>

enum {
	/* A page that comes byte by byte is none. */
	LIMIT_S = 30,
	KEEP = 64 * 1024,
};

static enum fetch_taken on_data(const uint8_t *data, size_t len, void *arg)
{
	struct page *p = arg;

	p->too_big = buf_len(&p->body) + len > p->max;
	if (p->too_big)
		return FETCH_ENOUGH;
	buf_append(&p->body, data, len);
	return FETCH_TAKEN;
}

int page_load(struct page *p, struct fetcher *fetcher, const char *url,
	      size_t max, struct errmsg *why)
{
	struct fetch_request request = {
		.url = url, .limit_s = LIMIT_S, .is_text = true,
		.on_data = on_data, .arg = p,
	};
	int err = 0;

	page_end(p);
	buf_reset(&p->body, KEEP);
	p->max = max;
	p->too_big = false;
	p->fetch = fetch_new(fetcher, &request, &err, why);
	return err;
}

void page_done(struct page *p)
{
	page_end(p);
	buf_done(&p->body);
}

int page_look(const struct page *p, struct errmsg *why)
{
	switch (fetch_state(p->fetch)) {
	case FETCH_RUNS:
		return 0;
	case FETCH_FAILED:
		return fetch_error(p->fetch, why);
	case FETCH_DONE:
		break;
	}
	if (p->too_big)
		return errmsg_fail(why, -EFBIG, "longer than %zu bytes",
				   p->max);
	return 1;
}

void page_end(struct page *p)
{
	fetch_free(&p->fetch);
}

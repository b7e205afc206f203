/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/net/hls/hls_list.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TICK_NS = 50000000,
	WINDOW = 5,
	HIGH = 3000000, LOW = 1000000, /* bit/s */
};

static const char master[] =
	"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1000000\nlow.m3u8\n"
	"#EXT-X-STREAM-INF:BANDWIDTH=3000000\nhigh.m3u8\n";

/* A server whose better variant fails or serves a stale playlist for a while.
 * URIs contain tokens that change with each load. */
struct server {
	uint64_t now_ns;
	uint64_t dies_s, lives_s;
	bool stale;            /* it serves a stale playlist then */
	unsigned high_loads, token;
};

/* The stub of http_body has no context. */
static struct server *server(void)
{
	static struct server s;

	return &s;
}

static bool is_dead(const struct server *s)
{
	uint64_t now_s = s->now_ns / SECOND_NS;

	return now_s >= s->dies_s && now_s < s->lives_s;
}

static bool answer(const char *url, struct buf *ret)
{
	struct server *s = server();
	bool high = strstr(url, "high") != NULL;
	uint64_t at = s->now_ns / SECOND_NS;

	s->high_loads += high;
	s->token++;
	if (strstr(url, "master") != NULL) {
		buf_append(ret, master, strlen(master));
		return true;
	}
	if (high && is_dead(s)) {
		if (!s->stale)
			return false;
		at = s->dies_s;
	}
	buf_printf(ret, "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
		   "#EXT-X-MEDIA-SEQUENCE:%" PRIu64 "\n", at);
	for (uint64_t i = 0; i < WINDOW; i++)
		buf_printf(ret, "#EXTINF:1,\n%" PRIu64 ".ts?t=%u\n", at + i,
			   s->token);
	return true;
}

int http_body_load(struct http_body *p, struct fetcher *f, const char *url,
		   size_t max, struct errmsg *error)
{
	(void)f, (void)max, (void)error;
	http_body_end(p);
	buf_reset(&p->buf, 0);
	p->fetch = (struct fetch *)xstrdup(url);
	return 0;
}

int http_body_poll(const struct http_body *p, struct errmsg *error)
{
	struct http_body *page = (struct http_body *)p;

	return answer((const char *)p->fetch, &page->buf)
		? 1 : errmsg_fail(error, -EREMOTEIO, "the server answers 404");
}

void http_body_end(struct http_body *p)
{
	free(p->fetch);
	p->fetch = NULL;
}

void http_body_done(struct http_body *p)
{
	http_body_end(p);
	buf_done(&p->buf);
}

const char *fetch_url(const struct fetch *f)
{
	return (const char *)f;
}

/* --- a client --- */

struct client {
	struct hls_list list;
	unsigned changes;  /* to another variant */
	unsigned without;  /* ticks without a playlist */
};

static void begin(struct client *c, const struct server *s,
		  uint64_t bandwidth)
{
	struct buf body = { 0 };

	*c = (struct client){ 0 };
	*server() = *s;
	server()->now_ns = SECOND_NS;
	buf_append(&body, master, strlen(master));
	hls_list_init(&c->list, NULL, "http://h/master.m3u8", bandwidth);
	cr_assert_eq(hls_list_begin(&c->list, "http://h/master.m3u8", &body,
				    server()->now_ns, NULL), 0);
	buf_done(&body);
}

static void play(struct client *c, unsigned seconds)
{
	struct server *s = server();
	uint64_t until = s->now_ns + seconds * SECOND_NS;

	for (; s->now_ns < until; s->now_ns += TICK_NS) {
		c->changes += hls_list_turn(&c->list, s->now_ns) ==
			      HLS_LIST_VARIANT;
		c->without += hls_list_media(&c->list) == NULL;
	}
}

Test(hls_list, returns_to_the_better_variant_without_a_gap)
{
	struct client c;

	begin(&c, &(struct server){ .dies_s = 20, .lives_s = 50 }, 0);
	play(&c, 15);
	cr_assert_eq(hls_list_bandwidth(&c.list), HIGH);
	play(&c, 25);
	cr_assert_eq(hls_list_bandwidth(&c.list), LOW);
	c.without = 0;
	play(&c, HLS_RETURN_FIRST_S);
	cr_assert_eq(hls_list_bandwidth(&c.list), HIGH);
	cr_assert_eq(c.changes, 3);
	/* except while the playlist is loaded */
	cr_assert_leq(c.without, 2);
	/* the variant recovered */
	play(&c, 2 * HLS_RETURN_FIRST_S);
	cr_assert_eq(c.list.return_s, 0);
	hls_list_done(&c.list);
}

/* For an hour. */
static void assert_stays(bool stale)
{
	struct client c;

	begin(&c, &(struct server){ .dies_s = 5, .lives_s = 9999,
				    .stale = stale }, 0);
	play(&c, 30);
	cr_assert_eq(hls_list_bandwidth(&c.list), LOW);
	c.without = server()->high_loads = 0;
	play(&c, 3600);
	cr_assert_eq(c.changes, 2, "it flaps: %u", c.changes);
	cr_assert_eq(c.without, 0);
	/* after 60, 120, 240, 480, 960, 960, … s, two loads at most */
	cr_assert_leq(server()->high_loads, 14, "%u", server()->high_loads);
	cr_assert_geq(server()->high_loads, 6);
	cr_assert_eq(c.list.return_s, HLS_RETURN_LAST_S);
	hls_list_done(&c.list);
}

Test(hls_list, does_not_return_to_a_variant_that_fails)
{
	assert_stays(false);
}

/* A changed token does not make a playlist new. */
Test(hls_list, does_not_return_to_a_stale_playlist)
{
	assert_stays(true);
}

Test(hls_list, does_not_load_variants_above_the_limit)
{
	struct client c;

	begin(&c, &(struct server){ .dies_s = 9999 }, LOW);
	play(&c, 30);
	cr_assert(hls_list_fall(&c.list, server()->now_ns));
	play(&c, 600);
	cr_assert_eq(hls_list_bandwidth(&c.list), LOW);
	cr_assert_eq(server()->high_loads, 0);
	hls_list_done(&c.list);
}

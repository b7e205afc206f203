/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/epg/guide_posts.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "worker/net/curl/fetch.h"

#include <errno.h>
#include <ev.h>
#include <stdlib.h>

enum {
	TURN_MS = 10, /* interval of the timer while a post is running */
	REPLY_MAX = 64 * 1024, /* bytes of the reply of a server; a longer reply
				* ends the post */
};

/* A server, and the post to it that is running. */
struct post {
	struct epg_export_spec spec;
	struct fetcher *fetcher; /* NULL: no post is running */
	struct fetch *fetch;
	uint32_t seq;
	int fd;
	size_t len;
	size_t replied; /* bytes of the reply of the server */
};

struct guide_posts {
	struct ev_loop *loop;
	ev_timer timer;
	guide_posted_fn *posted;
	void *arg;
	size_t n;
	struct post list[EPG_EXPORTS_MAX];
};

static void end(struct post *p)
{
	fetch_free(&p->fetch);
	fetcher_free(&p->fetcher);
	fd_close(&p->fd);
	p->replied = 0;
}

static enum fetch_taken on_reply(const uint8_t *data, size_t len, void *arg)
{
	struct post *p = arg;

	(void)data;
	p->replied += len;
	return p->replied > REPLY_MAX ? FETCH_ENOUGH : FETCH_TAKEN;
}

/* Ends a post.  Calls `posted' as the last step, because it may begin the next
 * post. */
static void finish(struct guide_posts *g, struct post *p, const char *error)
{
	uint32_t seq = p->seq;

	end(p);
	g->posted(seq, error, g->arg);
}

static void look(struct guide_posts *g, struct post *p)
{
	struct errmsg error;

	fetcher_turn(p->fetcher, mono_ns(), 0);
	switch (fetch_state(p->fetch)) {
	case FETCH_RUNS:
		break;
	case FETCH_DONE:
		finish(g, p, "");
		break;
	case FETCH_FAILED:
		(void)!fetch_error(p->fetch, &error);
		finish(g, p, error.text);
		break;
	}
}

static void on_timer(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct guide_posts *g = container_of(t, struct guide_posts, timer);
	bool more = false;

	(void)revents;
	for (size_t i = 0; i < g->n; i++) {
		if (g->list[i].fetch != NULL)
			look(g, &g->list[i]);
		more |= g->list[i].fetch != NULL;
	}
	if (!more)
		ev_timer_stop(loop, t);
}

struct guide_posts *guide_posts_new(struct ev_loop *loop,
				    const char *const *addresses, size_t n,
				    guide_posted_fn *posted, void *arg)
{
	struct guide_posts *g = xcalloc(1, sizeof *g);
	struct errmsg ignored;

	g->loop = loop;
	g->posted = posted;
	g->arg = arg;
	g->n = MIN(n, ARRAY_LEN(g->list));
	for (size_t i = 0; i < g->n; i++) {
		g->list[i].fd = -1;
		/* an address with an error has an empty URL, and start()
		 * rejects it */
		(void)!epg_export_parse(addresses[i], &g->list[i].spec,
					&ignored);
	}
	ev_timer_init(&g->timer, on_timer, TURN_MS / 1e3, TURN_MS / 1e3);
	return g;
}

void guide_posts_free(struct guide_posts **gp)
{
	struct guide_posts *g = *gp;

	*gp = NULL;
	if (g == NULL)
		return;
	ev_timer_stop(g->loop, &g->timer);
	for (size_t i = 0; i < g->n; i++)
		end(&g->list[i]);
	free(g);
}

static const char *const *headers_of(unsigned form)
{
	static const char *const list[EPG_FORMS][3] = {
		[0] = { "Content-Type: application/xml; charset=utf-8" },
		[EPG_FORM_GZIP] = {
			"Content-Type: application/xml; charset=utf-8",
			"Content-Encoding: gzip" },
		[EPG_FORM_JSON] = { "Content-Type: application/json" },
		[EPG_FORM_JSON | EPG_FORM_GZIP] = {
			"Content-Type: application/json",
			"Content-Encoding: gzip" },
	};

	return list[form % EPG_FORMS];
}

/* Begins the transfer of a post.  Returns 0, or -errno with error. */
static int start(struct post *p, unsigned form, struct errmsg *error)
{
	int r = 0;

	if (p->spec.to.http.url[0] == '\0')
		return errmsg_fail(error, -EINVAL, "the export has no usable "
				   "URL");
	p->fetcher = fetcher_new(&p->spec.to.http, &r, error);
	if (p->fetcher == NULL)
		return r;
	p->fetch = fetch_new(p->fetcher, &(struct fetch_request){
		.url = p->spec.to.http.url, .limit_s = GUIDE_POST_LIMIT_S,
		.body = { p->fd, p->len, headers_of(form) },
		.on_data = on_reply, .arg = p }, &r, error);
	return p->fetch != NULL ? 0 : r;
}

void guide_posts_begin(struct guide_posts *g, const struct msg_epg_post *m,
		       uint32_t seq, int fd)
{
	struct errmsg error;
	struct post *p;

	if (m->export >= g->n) {
		fd_close(&fd);
		g->posted(seq, "there is no such export", g->arg);
		return;
	}
	p = &g->list[m->export];
	end(p);
	p->fd = fd;
	p->len = m->len;
	p->seq = seq;
	if (start(p, m->form, &error) < 0)
		finish(g, p, error.text);
	else
		ev_timer_again(g->loop, &g->timer);
}

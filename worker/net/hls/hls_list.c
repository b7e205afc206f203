/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/hls/hls_list.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "worker/net/curl/url.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* shortest and longest wait before a reload */
	RELOAD_LEAST_MS = 500,
	RELOAD_MOST_MS = 60 * 1000,
	/* first and longest wait after a failed load */
	RETRY_FIRST_MS = 500,
	RETRY_LAST_MS = 10 * 1000,
};

static void forget(struct hls_text *t)
{
	free(t->base);
	free(t->data);
	m3u8_done(&t->list);
	*t = (struct hls_text){ 0 };
}

void hls_list_init(struct hls_list *l, struct fetcher *fetcher,
		   const char *home, uint64_t bandwidth)
{
	*l = (struct hls_list){ .fetcher = fetcher, .home = home,
				.bandwidth = bandwidth };
}

void hls_list_done(struct hls_list *l)
{
	http_body_done(&l->body);
	http_body_done(&l->better);
	forget(&l->master);
	forget(&l->media);
}

/* Parses a loaded playlist, and takes the body if it can be played.  0, or
 * -errno with error. */
static int read_text(const char *url, struct buf *body, struct hls_text *ret,
		     struct errmsg *error)
{
	struct hls_text t = { .len = buf_len(body) };
	int r;

	/* one byte more, so that the copy of an empty body has memory */
	t.data = xcalloc(1, t.len + 1);
	if (t.len > 0)
		memcpy(t.data, buf_head(body), t.len);
	r = m3u8_parse((const char *)t.data, t.len, &t.list, error);
	if (r < 0) {
		free(t.data);
		return r;
	}
	t.base = xstrdup(url);
	*ret = t;
	return 0;
}

/* --- variants --- */

static const struct m3u8_variant *variant_at(const struct hls_list *l,
					     size_t i)
{
	return &l->master.list.variants[l->order[i]];
}

/* The index in order of the best variant within the permitted bandwidth; if all
 * variants exceed it, that of the lowest one. */
static size_t best_variant(const struct hls_list *l)
{
	size_t i = 0;

	while (l->bandwidth > 0 && i + 1 < l->n_variants &&
	       variant_at(l, i)->bandwidth > l->bandwidth)
		i++;
	return i;
}

static void go_to(struct hls_list *l, size_t variant, uint64_t now_ns)
{
	l->variant = variant;
	l->changes = true;
	l->failures = 0;
	l->load_ns = now_ns;
	l->changed_ns = now_ns;
	http_body_end(&l->body);
	log_info("stream", "hls: receiving the variant of %" PRIu64 " kbit/s",
		 variant_at(l, variant)->bandwidth / 1000);
}

static void back_off(struct hls_list *l, uint64_t now_ns)
{
	l->return_s = l->return_s == 0 ? (unsigned)HLS_RETURN_FIRST_S
				       : MIN(2 * l->return_s,
					     (unsigned)HLS_RETURN_LAST_S);
	l->return_ns = now_ns + l->return_s * SECOND_NS;
	l->better_end = 0;
	http_body_end(&l->better);
}

bool hls_list_fall(struct hls_list *l, uint64_t now_ns)
{
	if (l->n_variants < 2)
		return false;
	back_off(l, now_ns);
	/* The lowest variant failed, too: reloads the master playlist, which
	 * may have changed. */
	if (l->variant + 1 < l->n_variants) {
		go_to(l, l->variant + 1, now_ns);
		return true;
	}
	l->loads_master = true;
	l->failures = 0;
	l->load_ns = now_ns + RETRY_FIRST_MS * MS;
	return true;
}

/* --- return to a better variant --- */

/* Evaluates the playlist of the best variant: the variant is alive if the
 * second load has new segments, or if the playlist has ended. */
static void judge_better(struct hls_list *l, uint64_t now_ns)
{
	const struct buf *body = &l->better.buf;
	struct m3u8 m;
	uint64_t end, target_ms;
	bool ended;

	http_body_end(&l->better);
	if (m3u8_parse((const char *)buf_head(body), buf_len(body), &m,
		       NULL) < 0) {
		back_off(l, now_ns);
		return;
	}
	end = m.n_segments > 0 ? m.sequence + m.n_segments : 0;
	ended = m.ended;
	target_ms = MAX(m.target_ms, (unsigned)RELOAD_LEAST_MS);
	m3u8_done(&m);
	if (end == 0 || (end == l->better_end && !ended)) {
		back_off(l, now_ns);
	} else if (l->better_end == 0 && !ended) {
		l->better_end = end;
		l->return_ns = now_ns + 2 * MIN(target_ms,
						(uint64_t)RELOAD_MOST_MS) * MS;
	} else {
		l->better_end = 0;
		l->risen_ns = now_ns;
		go_to(l, best_variant(l), now_ns);
	}
}

static void rise(struct hls_list *l, uint64_t now_ns)
{
	size_t best = l->n_variants > 0 ? best_variant(l) : 0;
	const struct m3u8_variant *v;
	char *url;
	int r;

	if (l->return_s == 0 || l->changes || l->loads_master)
		return;
	if (l->variant <= best) {
		if (now_ns - l->risen_ns > 2 * l->return_s * SECOND_NS)
			l->return_s = 0;
	} else if (http_body_is_loading(&l->better)) {
		r = http_body_poll(&l->better, NULL);
		if (r > 0)
			judge_better(l, now_ns);
		else if (r < 0)
			back_off(l, now_ns);
	} else if (now_ns >= l->return_ns) {
		v = variant_at(l, best);
		url = url_resolve(l->master.base, v->uri.data, v->uri.len,
				  NULL);
		if (url == NULL ||
		    http_body_load(&l->better, l->fetcher, url, M3U8_SIZE_MAX,
				   NULL) < 0)
			back_off(l, now_ns);
		free(url);
	}
}

/* --- responses --- */

static int take_master(struct hls_list *l, const char *url, struct buf *body,
		       uint64_t now_ns, struct errmsg *error)
{
	struct hls_text t;
	int r = read_text(url, body, &t, error);

	if (r < 0)
		return r;
	l->loads_master = false;
	if (!t.list.master) {
		forget(&l->master);
		forget(&l->media);
		l->media = t;
		l->n_variants = 0;
		l->changed_ns = now_ns;
		return 1;
	}
	forget(&l->master);
	l->master = t;
	l->n_variants = 0;
	for (size_t i = 0; i < t.list.n_variants; i++) {
		size_t k = l->n_variants++;

		for (; k > 0 && variant_at(l, k - 1)->bandwidth <
				t.list.variants[i].bandwidth; k--)
			l->order[k] = l->order[k - 1];
		l->order[k] = i;
	}
	l->risen_ns = now_ns;
	l->better_end = 0;
	http_body_end(&l->better);
	go_to(l, best_variant(l), now_ns);
	return 0;
}

static size_t path_len(struct m3u8_text uri)
{
	const char *query = memchr(uri.data, '?', uri.len);

	return query != NULL ? (size_t)(query - uri.data) : uri.len;
}

static bool has_same_path(struct m3u8_text a, struct m3u8_text b)
{
	return path_len(a) == path_len(b) &&
	       memcmp(a.data, b.data, path_len(a)) == 0;
}

/* True if both playlists end with the same segment. */
static bool is_same(const struct m3u8 *a, const struct m3u8 *b)
{
	size_t n = a->n_segments;
	const struct m3u8_segment *last, *other;

	if (a->sequence + n != b->sequence + b->n_segments ||
	    a->ended != b->ended)
		return false;
	if (n == 0 || b->n_segments == 0)
		return n == b->n_segments;
	last = &a->segments[n - 1];
	other = &b->segments[b->n_segments - 1];
	if (last->range_at != other->range_at)
		return false;
	/* Query strings may contain tokens that change with each load, so they
	 * are not compared. Only if all segments have the same path, the query
	 * string identifies the segment. */
	if (n > 1 && !has_same_path(last->uri, last[-1].uri))
		return has_same_path(last->uri, other->uri);
	return m3u8_is_same(last->uri, other->uri);
}

static uint64_t target_ns(const struct hls_list *l)
{
	unsigned ms = MAX(l->media.list.target_ms, (unsigned)RELOAD_LEAST_MS);

	return MIN(ms, (unsigned)RELOAD_MOST_MS) * MS;
}

/* Sets the time of the next reload.  changed: the playlist has changed since
 * the last load. */
static void schedule(struct hls_list *l, bool changed, uint64_t now_ns)
{
	uint64_t wait_ns = changed ? target_ns(l) : target_ns(l) / 2;

	/* a server that ended its playlist may start a new playlist, so an
	 * ended one is reloaded, too */
	if (l->media.list.ended)
		wait_ns = MAX(wait_ns, RETRY_LAST_MS * MS);
	l->load_ns = MAX(l->began_ns + wait_ns, now_ns);
	l->failures = 0;
}

static int take_media(struct hls_list *l, const char *url, struct buf *body,
		      uint64_t now_ns, struct errmsg *error)
{
	struct hls_text t;
	int r = read_text(url, body, &t, error);
	bool changed;

	if (r < 0)
		return r;
	if (t.list.master) {
		forget(&t);
		return errmsg_fail(error, -EINVAL, "the playlist of the "
				   "variant is a master playlist");
	}
	changed = l->media.base == NULL ||
		  !is_same(&l->media.list, &t.list);
	forget(&l->media);
	l->media = t;
	if (changed)
		l->changed_ns = now_ns;
	schedule(l, changed, now_ns);
	return 0;
}

int hls_list_begin(struct hls_list *l, const char *url, struct buf *body,
		   uint64_t now_ns, struct errmsg *error)
{
	int r = take_master(l, url, body, now_ns, error);

	l->began_ns = l->changed_ns = now_ns;
	if (r > 0)
		schedule(l, true, now_ns);
	return MIN(r, 0);
}

/* --- loads --- */

static void failed(struct hls_list *l, const struct errmsg *error,
		   uint64_t now_ns)
{
	unsigned wait_ms = (unsigned)RETRY_FIRST_MS << MIN(l->failures, 5U);

	if (strcmp(l->error.text, error->text) != 0)
		log_warning("stream", "hls: playlist: %s", error->text);
	l->error = *error;
	l->load_ns = now_ns + MIN(wait_ms, (unsigned)RETRY_LAST_MS) * MS;
	if (++l->failures >= HLS_FAILURES_MAX && !l->loads_master)
		(void)hls_list_fall(l, now_ns);
}

static void load(struct hls_list *l, uint64_t now_ns)
{
	struct errmsg error = { 0 };
	const struct m3u8_variant *v;
	char *url;

	if (l->loads_master || l->n_variants == 0) {
		url = xstrdup(l->home);
	} else {
		v = variant_at(l, l->variant);
		url = url_resolve(l->master.base, v->uri.data, v->uri.len,
				  &error);
	}
	l->began_ns = now_ns;
	if (url == NULL || http_body_load(&l->body, l->fetcher, url,
					  M3U8_SIZE_MAX, &error) < 0)
		failed(l, &error, now_ns);
	free(url);
}

/* True if the server answers, but the playlist has not changed for too long. */
static bool is_stalled(const struct hls_list *l, uint64_t now_ns)
{
	uint64_t patience_ns = MAX(HLS_STALL_TARGETS * target_ns(l),
				   HLS_STALL_MIN_MS * MS);

	return l->media.base != NULL && !l->changes &&
	       !l->media.list.ended && now_ns - l->changed_ns >= patience_ns;
}

static enum hls_list_is take(struct hls_list *l, const char *url,
			     uint64_t now_ns)
{
	struct errmsg error = { 0 };
	bool variant = l->changes;
	int r;

	l->reloads++;
	if (l->loads_master) {
		r = take_master(l, url, &l->body.buf, now_ns, &error);
		if (r > 0)
			schedule(l, true, now_ns);
		variant = r > 0;
	} else {
		r = take_media(l, url, &l->body.buf, now_ns, &error);
		l->changes &= r < 0;
	}
	if (r < 0) {
		failed(l, &error, now_ns);
		return HLS_LIST_SAME;
	}
	if (!is_stalled(l, now_ns))
		l->error.text[0] = '\0';
	if (l->changes)
		return HLS_LIST_SAME;
	return variant ? HLS_LIST_VARIANT : HLS_LIST_NEW;
}

enum hls_list_is hls_list_turn(struct hls_list *l, uint64_t now_ns)
{
	enum hls_list_is is = HLS_LIST_SAME;
	struct errmsg error = { 0 };
	char *url;
	int r;

	rise(l, now_ns);
	if (!http_body_is_loading(&l->body)) {
		if (l->failures == 0 && is_stalled(l, now_ns)) {
			errmsg_set(&l->error, "the playlist lists no new "
				   "segments");
			if (hls_list_fall(l, now_ns))
				l->changed_ns = now_ns;
		}
		if (now_ns >= l->load_ns &&
		    (l->idle || l->changes || !l->media.list.ended))
			load(l, now_ns);
		return is;
	}
	r = http_body_poll(&l->body, &error);
	if (r == 0)
		return is;
	if (r < 0) {
		failed(l, &error, now_ns);
	} else {
		url = xstrdup(fetch_url(l->body.fetch));
		is = take(l, url, now_ns);
		free(url);
	}
	http_body_end(&l->body);
	return is;
}

const struct m3u8 *hls_list_media(const struct hls_list *l)
{
	return l->media.base != NULL && !l->changes ? &l->media.list : NULL;
}

const struct m3u8_audio *hls_list_audio(const struct hls_list *l,
					const char *wanted)
{
	const struct m3u8_audio *s =
		l->n_variants > 0 ? m3u8_audio_of(&l->master.list,
						  variant_at(l, l->variant),
						  wanted) : NULL;

	return s != NULL && s->uri.len > 0 ? s : NULL;
}

uint64_t hls_list_bandwidth(const struct hls_list *l)
{
	return l->n_variants > 0 ? variant_at(l, l->variant)->bandwidth : 0;
}

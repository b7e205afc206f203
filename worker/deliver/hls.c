/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls.h"

#include "common/base/hash.h"
#include "common/base/mono.h"
#include "common/base/session_number.h"
#include "proto/wire/http_status.h"
#include "proto/wire/http_target.h"
#include "worker/deliver/fragments.h"
#include "worker/deliver/hls_content.h"
#include "worker/deliver/hls_fragments.h"
#include "worker/deliver/hls_index.h"
#include "worker/deliver/hls_playlist.h"
#include "worker/deliver/hls_reload.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_conn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	QUERIES_MAX = 8192, /* bytes of the queries of all URIs of a
			     * playlist */
	HEADERS_MAX = 640,
	TAG_MAX = 64,
	HASHED_MAX = 4096, /* the ETag of a fragment is a hash of its first
			    * bytes, which have the times and sizes of its
			    * samples */
	PLAYLIST_AGE_S = 1, /* max-age of a playlist, less than a segment */
	/* a waiting request is tried again with each new segment and part, and
	 * after this time at the latest */
	RETRY_MS = 1000,
};

#define NO_CACHE "Cache-Control: no-cache\r\n"
#define PLAYLIST_TYPE "Content-Type: application/vnd.apple.mpegurl\r\n"

/* The methods and headers that pages of other origins may send. */
#define CORS_ALLOW \
	"Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n" \
	"Access-Control-Allow-Headers: Range, If-None-Match, If-Range, " \
	"If-Modified-Since\r\n" \
	"Access-Control-Max-Age: 86400\r\n"

/* Answers with 404, or with an empty 200 if wanted->empty_missing is set.
 * wanted: NULL if the answer must be 404. */
static void answer_missing(struct viewer_conn *c,
			   const struct hls_wanted *wanted)
{
	static const char body[] = "Not Found\n";
	bool empty = wanted != NULL && wanted->empty_missing;
	const struct viewer_answer none = {
		.status = 404,
		.headers = "Content-Type: text/plain\r\n"
			   "X-Content-Type-Options: nosniff\r\n"
			   NO_CACHE,
		.body = body,
		.len = sizeof body - 1,
	};
	const struct viewer_answer nothing = {
		.status = 200,
		.headers = empty && wanted->kind == HLS_TS
			? "Content-Type: video/mp2t\r\n" NO_CACHE
			: "Content-Type: video/mp4\r\n" NO_CACHE,
		.body = "",
	};

	viewer_conn_answer(c, empty ? &nothing : &none);
}

/* How long a client may cache a segment: the ring keeps it while it is in the
 * playlist, and for the length of the playlist after that. */
static unsigned age_max(const struct mount *m, const struct ring_segments *all)
{
	return MAX(all->target_s, 1U) * (2 * m->hls + 1);
}

static void send_segment(struct viewer_conn *c, const struct http_request *r,
			 struct mount *m, const struct ring_segment *s,
			 unsigned age_s)
{
	char tag[TAG_MAX];

	(void)snprintf(tag, sizeof tag, "\"%" PRIx64 "-%" PRIx64 "\"",
		       s->number, s->pos);
	hls_content_send(c, r, &(struct hls_content){
		.mount = m, .start = s->pos, .len = s->end - s->pos,
		.type = "video/mp2t", .tag = tag, .wall_ms = s->wall_ms,
		.age_s = age_s,
	});
}

static void send_blob(struct viewer_conn *c, const struct http_request *r,
		      struct blob *b, int64_t wall_ms, unsigned age_s)
{
	char tag[TAG_MAX];

	(void)snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"",
		       hash_add(HASH_INIT, b->data, MIN(b->len,
							(size_t)HASHED_MAX)));
	hls_content_send(c, r, &(struct hls_content){
		.blob = b, .len = b->len, .type = "video/mp4", .tag = tag,
		.wall_ms = wall_ms, .age_s = age_s,
	});
}

/* The number of the wanted segment, which its path may name by hash; 0: the
 * ring has no segment of this hash. */
static uint64_t number_of(const struct hls_wanted *wanted,
			  const struct ring_segments *all)
{
	if (!wanted->hashed)
		return wanted->number;
	for (size_t i = 0; i < all->n; i++)
		if (hls_segment_hash(&all->list[i]) == wanted->number)
			return all->list[i].number;
	return all->has_open && hls_segment_hash(&all->open) == wanted->number
		? all->open.number : 0;
}

struct piece {
	const struct ring_segment *segment;
	const struct ring_part *part; /* part of the segment; NULL: the whole
				       * segment */
	unsigned age_s;
};

/* Answers with the fMP4 fragment of a segment or part, or with an error.
 * False: the fragment is not ready, so the request waits. */
static bool answer_fragment(struct viewer_conn *c, const struct http_request *r,
			    struct mount *m, const struct piece *p)
{
	const struct ring_segment *s = p->segment;
	const struct fragment *f;
	enum fragment_state state = p->part != NULL
		? fragments_part(m->fragments, s, p->part, mono_ms(), &f)
		: fragments_get(m->fragments, s, mono_ms(), &f);

	switch (state) {
	case FRAGMENT_READY:
		send_blob(c, r, f->media, s->wall_ms, p->age_s);
		return true;
	case FRAGMENT_LATER:
		return false;
	case FRAGMENT_FULL:
		viewer_conn_reject(c, 503);
		return true;
	case FRAGMENT_BAD:
		break;
	}
	answer_missing(c, NULL);
	return true;
}

/* Answers with the initialization segment of this hash, or with an error.  If
 * needed, makes segments until one has it, as another process may have made the
 * playlist.  False: segments are not ready, so the request waits. */
static bool answer_init(struct viewer_conn *c, const struct http_request *r,
			struct mount *m, uint64_t hash,
			const struct ring_segments *all)
{
	const struct fragment *f;
	struct blob *init = NULL;
	bool later = false, full = false;

	for (size_t i = all->n; m->fragments != NULL && init == NULL &&
			       i > 0 && all->n - i < 2 * (size_t)m->hls; i--) {
		enum fragment_state state;

		init = fragments_init(m->fragments, hash);
		if (init != NULL)
			break;
		state = fragments_get(m->fragments, &all->list[i - 1],
				      mono_ms(), &f);
		later = later || state == FRAGMENT_LATER;
		full = full || state == FRAGMENT_FULL;
	}
	if (init == NULL && m->fragments != NULL)
		init = fragments_init(m->fragments, hash);
	if (init != NULL)
		send_blob(c, r, init, 0, age_max(m, all));
	else if (!later && full)
		viewer_conn_reject(c, 503);
	else if (!later)
		answer_missing(c, NULL);
	return init != NULL || !later;
}

/* Reads the segments of the ring, and its parts unless parts is NULL. */
static void read_lists(struct mount *m, struct ring_segments *ret,
		       struct ring_parts *parts)
{
	size_t back = (size_t)m->lag.start_max;

	if (parts != NULL)
		ring_reader_lists(m->reader, back, ret, parts);
	else
		ring_reader_segments(m->reader, back, ret);
	if (m->fragments != NULL && ret->n > 0)
		fragments_bound(m->fragments, ret->list[ret->n - 1].number);
}

/* Removes the segments in front of from_pos: those of earlier runs of a stream
 * on demand, which has started again. */
static void drop_old(struct ring_segments *all, uint64_t from_pos)
{
	size_t old = 0;

	while (old < all->n && all->list[old].pos < from_pos)
		old++;
	all->n -= old;
	memmove(all->list, all->list + old, all->n * sizeof all->list[0]);
	all->has_open = all->has_open && all->open.pos >= from_pos;
}

void hls_read_live(struct mount *m, struct ring_segments *ret)
{
	read_lists(m, ret, NULL);
	drop_old(ret, m->from_pos);
}

/* Answers a request for a segment or an initialization segment, or with an
 * error.  False: it is not ready, so the request waits. */
static bool answer_segment(struct viewer_conn *c, const struct http_request *r,
			   struct mount *m, const struct hls_wanted *wanted)
{
	struct ring_segments all;
	uint64_t end, number;

	/* mount_end() also updates m->lag */
	if (!mount_end(m, &end)) {
		answer_missing(c, NULL);
		return true;
	}
	read_lists(m, &all, NULL);
	if (wanted->kind == HLS_INIT)
		return answer_init(c, r, m, wanted->number, &all);
	number = (wanted->kind == HLS_TS) == (m->fragments == NULL)
		? number_of(wanted, &all) : 0;
	for (size_t i = 0; i < all.n; i++) {
		if (all.list[i].number != number)
			continue;
		if (m->fragments != NULL)
			return answer_fragment(c, r, m, &(struct piece){
				&all.list[i], NULL, age_max(m, &all) });
		send_segment(c, r, m, &all.list[i], age_max(m, &all));
		return true;
	}
	answer_missing(c, wanted);
	return true;
}

/* Answers with the part p.  False: its fragment is not ready. */
static bool send_part(struct viewer_conn *c, const struct http_request *r,
		      struct mount *m, const struct ring_segments *all,
		      const struct ring_part *p)
{
	const struct ring_segment *s = hls_segment_of(all, p->number);

	if (m->fragments != NULL && s != NULL)
		return answer_fragment(c, r, m, &(struct piece){
			s, p, age_max(m, all) });
	if (m->fragments != NULL)
		answer_missing(c, NULL);
	else
		send_segment(c, r, m, &(struct ring_segment){
			     .number = p->number, .pos = p->pos, .end = p->end,
			     .wall_ms = s != NULL ? s->wall_ms : 0,
		}, age_max(m, all));
	return true;
}

/* Can a part of this segment be among those that the writer adds now?  number
 * 0: no segment in the list has the name. */
static bool may_come(const struct ring_segments *all,
		     const struct hls_wanted *wanted, uint64_t number)
{
	if (!all->changes)
		return false;
	if (number == 0)
		return wanted->hashed;
	return (all->n == 0 && !all->has_open) ||
	       number + 1 >= hls_next_number(all);
}

/* Answers a request for a part, or with an error.  False: the request waits,
 * because the part is the next one and not complete, or because the writer was
 * changing the lists. */
static bool answer_part(struct viewer_conn *c, const struct http_request *r,
			struct mount *m, const struct hls_wanted *wanted)
{
	struct ring_segments all;
	struct ring_parts parts;
	const struct ring_part *p = NULL;
	bool is_its_kind = (wanted->kind == HLS_TS) == (m->fragments == NULL);
	uint64_t end, number;

	if (!mount_end(m, &end)) {
		answer_missing(c, NULL);
		return true;
	}
	read_lists(m, &all, &parts);
	number = is_its_kind ? number_of(wanted, &all) : 0;
	for (size_t i = 0; i < parts.n; i++) {
		p = &parts.list[i];
		if (p->number == number && p->index == wanted->index)
			return send_part(c, r, m, &all, p);
	}
	/* p is the newest part */
	if ((is_its_kind && may_come(&all, wanted, number)) ||
	    (hls_parts_are_live(&parts, &all) &&
	     number == hls_next_number(&all) &&
	     wanted->index == (p->number == number ? p->index + 1 : 0)))
		return false;
	answer_missing(c, wanted);
	return true;
}

/* Writes the folder of the segments relative to the playlist: the name of the
 * playlist without its suffix, or the session, and a slash. */
static void folder_of(const struct mount *m, uint64_t session, char *ret,
		      size_t size)
{
	const char *name = strrchr(m->path, '/') + 1;
	char number[SESSION_NUMBER_TEXT];

	if (session != 0) {
		session_number_format(session, number);
		(void)snprintf(ret, size, "%s/", number);
		return;
	}
	(void)snprintf(ret, size, "%.*s/",
		       (int)(strlen(name) - (sizeof HLS_PLAYLIST_SUFFIX - 1)),
		       name);
}

static void send_playlist(struct viewer_conn *c, const struct http_request *r,
			  const struct buf *text)
{
	char headers[HEADERS_MAX], tag[TAG_MAX], expires[HTTP_DATE_MAX];
	struct viewer_answer a = {
		.status = 200,
		.headers = headers,
		.body = buf_head(text),
		.len = buf_len(text),
	};

	(void)snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"",
		       hash_add(HASH_INIT, a.body, a.len));
	http_date_format(expires, time(NULL) + PLAYLIST_AGE_S);
	if (hls_content_is_known(r, tag, NULL))
		a.status = 304;
	(void)snprintf(headers, sizeof headers,
		       PLAYLIST_TYPE
		       "ETag: %s\r\n"
		       "Expires: %s\r\n"
		       "Cache-Control: %smax-age=%d\r\n" HLS_CORS_EXPOSE, tag,
		       expires, hls_content_privacy(r), PLAYLIST_AGE_S);
	viewer_conn_answer(c, &a);
}

/* The number of newest segments that the playlist lists.  A segment that has
 * left the playlist does not return, even if the playlist may have more
 * segments now (RFC 8216 6.2.2). */
static size_t count_listed(const struct mount *m,
			   const struct ring_segments *all)
{
	size_t n = hls_playlist_count(all, m->hls, m->lag.start_max);

	/* if the newest number is lower, the numbers have begun again */
	if (n > 0 && all->list[all->n - 1].number >= m->listed)
		while (all->list[all->n - n].number < m->listed)
			n--;
	return n;
}

/* True if the first playlist waits a moment for a part of the second segment:
 * so far only the first segment has ended, and the newest part is one of its
 * parts.  So already the first playlist has low latency. */
static bool awaits_parts(const struct ring_segments *all,
			 const struct ring_parts *parts)
{
	return all->n == 1 && all->has_open && parts->n > 0 && !parts->ended &&
	       parts->list[parts->n - 1].number == all->list[0].number;
}

/* Answers with the playlist, or with an error.  False: the request waits,
 * because the stream has no segment yet, or not the one that the request names,
 * or because a fragment is not ready. */
static bool answer_playlist(struct viewer_conn *c, const struct http_request *r,
			    struct mount *m, bool hash_names)
{
	char folder[IO_PATH_MAX], query[HLS_QUERY_MAX + 1];
	uint64_t maps[MSG_HLS_MAX];
	struct hls_playlist p = { .folder = folder, .query = query,
				  .hashed = hash_names };
	struct ring_segments all;
	struct ring_parts parts;
	enum fragment_state state = FRAGMENT_READY;
	struct buf text = { 0 };
	bool live, has_parts;
	uint64_t end;
	int status;

	if (strlen(http_request_query(r)) > HLS_QUERY_MAX) {
		viewer_conn_reject(c, 414);
		return true;
	}
	if (!mount_end(m, &end)) {
		viewer_conn_reject(c, 503);
		return true;
	}
	read_lists(m, &all, &parts);
	drop_old(&all, m->from_pos);
	has_parts = parts.n > 0 && !parts.ended;
	live = hls_parts_are_live(&parts, &all);
	p.n = count_listed(m, &all);
	if (p.n == 0 || all.changes || (!live && awaits_parts(&all, &parts)))
		return false;
	p.segments = all.list + all.n - p.n;
	if (m->fragments != NULL)
		state = hls_fragments(m, &all, &p, maps);
	if (state == FRAGMENT_LATER)
		return false;
	if (state != FRAGMENT_READY) {
		viewer_conn_reject(c, state == FRAGMENT_FULL ? 503 : 501);
		return true;
	}
	/* no parts if fMP4 cannot carry a segment behind the playlist */
	live = live && (all.has_open || p.segments + p.n == all.list + all.n);
	if (live && m->fragments != NULL) {
		state = hls_fragment_parts(m, &all, &p, &parts);
		if (state == FRAGMENT_LATER)
			return false;
		live = state == FRAGMENT_READY;
	}
	if (live) {
		p.parts = &parts;
		p.open = all.has_open ? &all.open : NULL;
	} else {
		parts.n = 0;
	}
	status = hls_reload_judge(r, &all, has_parts ? &parts : NULL);
	if (status == 0)
		return false;
	http_query_strip_hls(http_request_query(r), query);
	if (strlen(query) * (p.n + (p.parts != NULL ? parts.n + 1 : 0)) >
	    QUERIES_MAX)
		status = 414;
	if (status != 200) {
		viewer_conn_reject(c, status);
		return true;
	}
	m->listed = p.segments[0].number;
	p.target_s = all.target_s;
	folder_of(m, c->hls.session, folder, sizeof folder);
	hls_playlist_write(&text, &p);
	send_playlist(c, r, &text);
	buf_done(&text);
	return true;
}

/* Answers the request by its kind.  False: what it wants does not exist yet. */
static bool try_answer(struct viewer_conn *c, const struct http_request *r,
		       struct mount *m, const struct hls_wanted *wanted)
{
	if (c->hls.is_index)
		return hls_index_answer(c, r, m);
	if (wanted->number == 0)
		return answer_playlist(c, r, m, wanted->hash_names);
	if (wanted->is_part)
		return answer_part(c, r, m, wanted);
	return answer_segment(c, r, m, wanted);
}

static void wait_for(struct viewer_conn *c, struct mount *m)
{
	struct ring_segments all;

	hls_read_live(m, &all);
	c->hls.mount = m;
	c->hls.until_ms = mono_ms() + hls_reload_wait_ms(&all);
	LIST_INSERT_HEAD(&m->waiting, c, hls.entry);
}

void hls_forget(struct viewer_conn *c)
{
	if (c->hls.mount != NULL)
		LIST_REMOVE(c, hls.entry);
	c->hls.mount = NULL;
}

bool hls_has_news(struct mount *m, uint64_t now_ms)
{
	uint64_t news = ring_reader_news(m->reader);
	bool starved = m->fragments != NULL && fragments_starved(m->fragments);

	if (m->fragments != NULL)
		news += fragments_made(m->fragments);
	if (news == m->woken_news && !starved && !m->broken &&
	    now_ms - m->woken_ms < RETRY_MS)
		return false;
	m->woken_news = news;
	m->woken_ms = now_ms;
	return true;
}

void hls_wake(struct mount *m, const struct hls_wanted *any, uint64_t now_ms)
{
	struct viewer_conn *c, *next;
	char playlist[IO_PATH_MAX];
	bool news = !LIST_EMPTY(&m->waiting) && hls_has_news(m, now_ms);
	/* without news the end of a fragment may still have arrived: the first
	 * request tries to make it */
	bool first = m->fragments != NULL;

	/* an answer is sent later and frees no connection */
	for (c = LIST_FIRST(&m->waiting); c != NULL; c = next) {
		struct hls_wanted wanted = *any;

		next = LIST_NEXT(c, hls.entry);
		(void)hls_segment_path(http_request_path(c->request), playlist,
				       &wanted);
		if ((news || first) &&
		    try_answer(c, c->request, m, &wanted)) {
			hls_forget(c);
		} else if (now_ms >= c->hls.until_ms) {
			hls_forget(c);
			viewer_conn_reject(c, 503);
		}
		news = news || (first && hls_has_news(m, now_ms));
		first = false;
	}
}

void hls_move(struct mount *from, struct mount *to)
{
	struct viewer_conn *c;
	struct ring_segments all;
	size_t n;

	/* from the ring: another process may have sent the last playlist */
	hls_read_live(from, &all);
	n = count_listed(from, &all);
	to->listed = n > 0 ? all.list[all.n - n].number : from->listed;
	while ((c = LIST_FIRST(&from->waiting)) != NULL) {
		LIST_REMOVE(c, hls.entry);
		c->hls.mount = to;
		LIST_INSERT_HEAD(&to->waiting, c, hls.entry);
	}
}

void hls_end(struct mount *m)
{
	struct viewer_conn *c;

	while ((c = LIST_FIRST(&m->waiting)) != NULL) {
		hls_forget(c);
		viewer_conn_reject(c, 404);
	}
}

void hls_answer_options(struct viewer_conn *c)
{
	viewer_conn_answer(c, &(struct viewer_answer){
		.status = 204,
		.headers = "Allow: GET, HEAD, OPTIONS\r\n" CORS_ALLOW,
	});
}

void hls_answer(struct viewer_conn *c, const struct http_request *r,
		struct mount *m, const struct hls_wanted *wanted)
{
	if (try_answer(c, r, m, wanted))
		return;
	/* a request by HEAD starts no stream */
	if (strcmp(http_request_method(r), "HEAD") == 0 && m->demand &&
	    wanted->number == 0)
		viewer_conn_answer_head(c, PLAYLIST_TYPE NO_CACHE);
	else
		wait_for(c, m);
}

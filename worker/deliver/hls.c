/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls.h"

#include "common/base/hash.h"
#include "common/base/mono.h"
#include "proto/wire/http_range.h"
#include "proto/wire/http_status.h"
#include "worker/deliver/hls_playlist.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/viewer_conn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NUMBER_MAX = 16,    /* digits of a segment's number */
	QUERY_MAX = 1024,   /* a longer one would make playlists long */
	HEADERS_MAX = 640,
	TAG_MAX = 64,
	/* the first segment of a stream takes its duration, and the time until
	 * its first picture */
	WAIT_MS = 20000,
};

static const char playlist_suffix[] = ".m3u8", segment_suffix[] = ".ts";

/* Of the headers that pages of other origins may read or send. */
#define CORS_EXPOSE \
	"Access-Control-Expose-Headers: Content-Range, Date, ETag\r\n"
#define CORS_ALLOW \
	"Access-Control-Allow-Methods: GET, HEAD, OPTIONS\r\n" \
	"Access-Control-Allow-Headers: Range, If-None-Match, If-Range, " \
	"If-Modified-Since\r\n" \
	"Access-Control-Max-Age: 86400\r\n"

/* The number in "1798765432.ts"; it has one spelling. */
static bool read_number(const char *name, uint64_t *ret)
{
	size_t n = strspn(name, "0123456789");

	if (n == 0 || n > NUMBER_MAX || name[0] == '0' ||
	    strcmp(name + n, segment_suffix) != 0)
		return false;
	*ret = strtoull(name, NULL, 10);
	return true;
}

bool hls_segment_path(const char *path, char ret_playlist[IO_PATH_MAX],
		      uint64_t *ret_number)
{
	const char *name = strrchr(path, '/');
	size_t len = name != NULL ? (size_t)(name - path) : 0;

	if (len == 0 || len + sizeof playlist_suffix > IO_PATH_MAX ||
	    !read_number(name + 1, ret_number))
		return false;
	(void)snprintf(ret_playlist, IO_PATH_MAX, "%.*s%s", (int)len, path,
		       playlist_suffix);
	return true;
}

/* The tag of the client's copy is among those of If-None-Match. */
static bool has_copy(const struct http_request *r, const char *tag,
		     const char *modified)
{
	const char *none = http_request_header(r, "if-none-match");
	const char *since = http_request_header(r, "if-modified-since");

	/* RFC 9110 13.2.2: the first one counts */
	if (none != NULL)
		return strcmp(none, "*") == 0 || strstr(none, tag) != NULL;
	return modified != NULL && since != NULL &&
	       strcmp(since, modified) == 0;
}

static void answer_missing(struct viewer_conn *c, bool empty)
{
	static const char body[] = "Not Found\n";
	const struct viewer_answer none = {
		.status = 404,
		.headers = "Content-Type: text/plain\r\n"
			   "X-Content-Type-Options: nosniff\r\n"
			   "Cache-Control: no-cache\r\n",
		.body = body,
		.len = sizeof body - 1,
	};
	const struct viewer_answer nothing = {
		.status = 200,
		.headers = "Content-Type: video/mp2t\r\n"
			   "Cache-Control: no-cache\r\n",
		.body = "",
	};

	viewer_conn_answer(c, empty ? &nothing : &none);
}

/* The playlists that contain a segment, and as long again: the time for which
 * it stays. */
static unsigned age_max(const struct mount *m, const struct ring_segments *all)
{
	return MAX(all->target_s, 1U) * (2 * m->hls + 1);
}

static void send_segment(struct viewer_conn *c, const struct http_request *r,
			 struct mount *m, const struct ring_segment *s,
			 unsigned age_s)
{
	char headers[HEADERS_MAX], tag[TAG_MAX], range[TAG_MAX] = "";
	char modified[HTTP_DATE_MAX], expires[HTTP_DATE_MAX];
	const char *wanted = http_request_header(r, "range");
	const char *condition = http_request_header(r, "if-range");
	uint64_t len = s->end - s->pos, from = 0, to = len;
	struct viewer_answer a = { .status = 200, .headers = headers,
				   .mount = m };

	(void)snprintf(tag, sizeof tag, "\"%" PRIx64 "-%" PRIx64 "\"",
		       s->number, s->pos);
	http_date_format(modified, (time_t)(s->wall_ms / 1000));
	http_date_format(expires, time(NULL) + age_s);
	if (condition != NULL && strcmp(condition, tag) != 0)
		wanted = NULL;
	if (has_copy(r, tag, modified)) {
		a.status = 304;
	} else {
		switch (http_range_read(wanted, len, &from, &to)) {
		case HTTP_RANGE_WHOLE:
			break;
		case HTTP_RANGE_PART:
			a.status = 206;
			(void)snprintf(range, sizeof range,
				       "Content-Range: bytes %ju-%ju/%ju\r\n",
				       (uintmax_t)from, (uintmax_t)to - 1,
				       (uintmax_t)len);
			break;
		case HTTP_RANGE_NONE:
			a.status = 416;
			a.mount = NULL;
			to = from;
			(void)snprintf(range, sizeof range,
				       "Content-Range: bytes */%ju\r\n",
				       (uintmax_t)len);
			break;
		}
	}
	a.start = s->pos + from;
	a.end = s->pos + to;
	(void)snprintf(headers, sizeof headers,
		       "Content-Type: video/mp2t\r\n"
		       "Accept-Ranges: bytes\r\n%s"
		       "ETag: %s\r\n"
		       "Last-Modified: %s\r\n"
		       "Expires: %s\r\n"
		       "Cache-Control: max-age=%u, immutable\r\n" CORS_EXPOSE,
		       range, tag, modified, expires, age_s);
	viewer_conn_answer(c, &a);
}

static void answer_segment(struct viewer_conn *c, const struct http_request *r,
			   struct mount *m, const struct hls_wanted *wanted)
{
	struct ring_segments all;
	uint64_t end;

	/* also refreshes m->lag */
	if (!mount_end(m, &end)) {
		answer_missing(c, false);
		return;
	}
	ring_reader_segments(m->reader, (size_t)m->lag.start_max, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.list[i].number == wanted->number) {
			send_segment(c, r, m, &all.list[i], age_max(m, &all));
			return;
		}
	answer_missing(c, wanted->empty_missing);
}

/* The last part of the path of the playlist, and a slash. */
static void folder_of(const struct mount *m, char *ret, size_t size)
{
	const char *name = strrchr(m->path, '/') + 1;

	(void)snprintf(ret, size, "%.*s/",
		       (int)(strlen(name) - (sizeof playlist_suffix - 1)),
		       name);
}

/* False: the stream has no segment. */
static bool answer_playlist(struct viewer_conn *c, const struct http_request *r,
			    struct mount *m)
{
	char folder[IO_PATH_MAX], headers[HEADERS_MAX], tag[TAG_MAX];
	struct viewer_answer a = { .status = 200, .headers = headers };
	struct hls_playlist p = { .folder = folder,
				  .query = http_request_query(r) };
	struct ring_segments all;
	struct buf text = { 0 };
	uint64_t end;

	if (strlen(p.query) > QUERY_MAX) {
		viewer_conn_reject(c, 414);
		return true;
	}
	if (!mount_end(m, &end)) {
		viewer_conn_reject(c, 503);
		return true;
	}
	ring_reader_segments(m->reader, (size_t)m->lag.start_max, &all);
	p.n = hls_playlist_count(&all, m->hls, m->lag.start_max);
	if (p.n == 0)
		return false;
	p.segments = all.list + all.n - p.n;
	p.target_s = all.target_s;
	folder_of(m, folder, sizeof folder);
	hls_playlist_write(&text, &p);
	a.body = buf_head(&text);
	a.len = buf_len(&text);
	(void)snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"",
		       hash_add(HASH_INIT, a.body, a.len));
	if (has_copy(r, tag, NULL))
		a.status = 304;
	(void)snprintf(headers, sizeof headers,
		       "Content-Type: application/vnd.apple.mpegurl\r\n"
		       "ETag: %s\r\n"
		       "Cache-Control: max-age=1\r\n" CORS_EXPOSE, tag);
	viewer_conn_answer(c, &a);
	buf_done(&text);
	return true;
}

static void wait_for(struct viewer_conn *c, struct mount *m)
{
	c->hls.mount = m;
	c->hls.until_ms = mono_ms() + WAIT_MS;
	LIST_INSERT_HEAD(&m->waiting, c, hls.entry);
}

void hls_forget(struct viewer_conn *c)
{
	if (c->hls.mount != NULL)
		LIST_REMOVE(c, hls.entry);
	c->hls.mount = NULL;
}

void hls_wake(struct mount *m, uint64_t now_ms)
{
	struct viewer_conn *c, *next;

	/* an answer is sent later and frees no connection */
	for (c = LIST_FIRST(&m->waiting); c != NULL; c = next) {
		next = LIST_NEXT(c, hls.entry);
		if (answer_playlist(c, c->request, m)) {
			hls_forget(c);
		} else if (now_ms >= c->hls.until_ms) {
			hls_forget(c);
			viewer_conn_reject(c, 503);
		}
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

void hls_answer(struct viewer_conn *c, const struct http_request *r,
		struct mount *m, const struct hls_wanted *wanted)
{
	static const struct viewer_answer options = {
		.status = 204,
		.headers = "Allow: GET, HEAD, OPTIONS\r\n" CORS_ALLOW,
	};
	const char *method = http_request_method(r);

	if (strcmp(method, "OPTIONS") == 0)
		viewer_conn_answer(c, &options);
	else if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		viewer_conn_reject(c, 405);
	else if (wanted->number > 0)
		answer_segment(c, r, m, wanted);
	else if (!answer_playlist(c, r, m))
		wait_for(c, m);
}

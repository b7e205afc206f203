/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/stream_lists.h"

#include "common/base/fd.h"
#include "worker/deliver/blob.h"
#include "worker/deliver/hls_content.h"
#include "worker/deliver/viewer_conn.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADERS_MAX = 256 };

void stream_lists_init(struct stream_lists *l,
		       int (*send)(const struct msg *, void *arg), void *arg)
{
	*l = (struct stream_lists){ .send = send, .arg = arg };
	TAILQ_INIT(&l->waiting);
	l->guide_peers = peers_new(&(struct peers_config){
		.max = GUIDES_PER_ADDRESS });
}

void stream_lists_limit(struct stream_lists *l, const struct peers_config *cfg)
{
	peers_limit(l->guide_peers, &(struct peers_config){
		.max = cfg->max > 0 ? GUIDES_PER_ADDRESS : 0,
		.proxies = cfg->proxies,
		.n_proxies = cfg->n_proxies,
	});
}

static bool is_master(const char *path)
{
	static const char folder[] = "/play/", master[] = "/master.m3u8";
	const char *name = strrchr(path, '/');

	return name != NULL && strcmp(name, master) == 0 &&
	       strncmp(path, folder, strlen(folder)) == 0;
}

static bool is_guide(const char *path)
{
	return strcmp(path, "/epg.xml") == 0 ||
	       strcmp(path, "/epg.xml.gz") == 0;
}

bool stream_lists_path(const char *path)
{
	return is_guide(path) || strcmp(path, "/playlist.m3u8") == 0 ||
	       strcmp(path, "/playlist.xspf") == 0 || is_master(path);
}

static void stop_waiting(struct stream_lists *l, struct viewer_conn *c)
{
	if (c->asked.seq == 0)
		return;
	TAILQ_REMOVE(&l->waiting, c, asked.entry);
	if (c->asked.guide)
		l->n_guides--;
	else
		l->n--;
	c->asked.seq = 0;
}

void stream_lists_forget(struct stream_lists *l, struct viewer_conn *c)
{
	stop_waiting(l, c);
	l->bytes -= c->asked.bytes;
	c->asked.bytes = 0;
	peer_leave(&c->asked.from);
}

void stream_lists_ask(struct stream_lists *l, struct viewer_conn *c,
		      const struct msg_deliver_playlist *question,
		      const struct ip_address *address, uint64_t now_ms)
{
	struct msg m = { .type = MSG_DELIVER_PLAYLIST,
			 .deliver_playlist = *question };
	bool guide = is_guide(question->path);
	enum playlist_kind kind = guide ? PLAYLIST_GUIDE
		: is_master(question->path) ? PLAYLIST_MASTER
					    : PLAYLIST_STREAMS;

	l->seq = l->seq < UINT32_MAX ? l->seq + 1 : 1;
	m.seq = l->seq;
	if ((guide ? l->n_guides >= GUIDES_WAITING_MAX ||
			     peers_enter(l->guide_peers, address,
					 &c->asked.from) < 0
		   : l->n >= LISTS_MAX) ||
	    !playlist_limit_pass(&l->limit, kind, address, now_ms) ||
	    l->send(&m, l->arg) < 0) {
		viewer_conn_reject(c, 503);
		return;
	}
	c->asked.seq = l->seq;
	c->asked.until_ms = now_ms + (guide ? GUIDES_WAIT_MS : LISTS_WAIT_MS);
	c->asked.guide = guide;
	TAILQ_INSERT_TAIL(&l->waiting, c, asked.entry);
	if (guide)
		l->n_guides++;
	else
		l->n++;
}

static void send_list(struct viewer_conn *c, const char *type,
		      const struct buf *text)
{
	char headers[HEADERS_MAX];

	(void)snprintf(headers, sizeof headers, "Content-Type: %s\r\n"
		       "Cache-Control: no-cache\r\n", type);
	viewer_conn_answer(c, &(struct viewer_answer){
		.status = 200,
		.headers = headers,
		.body = buf_head(text),
		.len = buf_len(text),
	});
}

/* --- the guide --- */

static void drop_unused(struct stream_lists *l)
{
	for (size_t i = 0; i < GUIDES_HELD_MAX; i++)
		if (l->guides[i].blob != NULL && l->guides[i].blob->refs == 1)
			blob_unref(&l->guides[i].blob);
}

/* The document of the guide in this memory, which is mapped once for all
 * clients; NULL: there is no room, or it cannot be mapped. */
static struct blob *hold(struct stream_lists *l, int fd, size_t len)
{
	struct held_guide *free_one = NULL;
	struct stat st;

	drop_unused(l);
	if (fstat(fd, &st) < 0)
		return NULL;
	for (size_t i = 0; i < GUIDES_HELD_MAX; i++) {
		struct held_guide *g = &l->guides[i];

		if (g->blob == NULL)
			free_one = g;
		else if (g->memory == st.st_ino && g->blob->len == len)
			return g->blob;
	}
	if (free_one == NULL || len > GUIDES_BYTES_MAX - l->guide_bytes)
		return NULL;
	free_one->memory = st.st_ino;
	return free_one->blob = blob_map(fd, len, &l->guide_bytes);
}

static void send_guide(struct stream_lists *l, struct viewer_conn *c,
		       const struct msg_deliver_page *page, int fd)
{
	struct viewer_answer a = { .status = 200, .end = page->len };
	char headers[HEADERS_MAX];

	if (hls_content_is_known(c->request, page->etag, NULL)) {
		a.status = 304;
	} else {
		a.blob = hold(l, fd, page->len);
		if (a.blob == NULL) {
			viewer_conn_reject(c, 503);
			return;
		}
	}
	(void)snprintf(headers, sizeof headers, "Content-Type: %s\r\n"
		       "Cache-Control: private, no-cache\r\n"
		       "ETag: %s\r\n", page->type, page->etag);
	a.headers = headers;
	viewer_conn_answer(c, &a);
}

void stream_lists_done(struct stream_lists *l)
{
	for (size_t i = 0; i < GUIDES_HELD_MAX; i++)
		blob_unref(&l->guides[i].blob);
	peers_free(&l->guide_peers);
}

/* --- answers --- */

void stream_lists_answer(struct stream_lists *l,
			 const struct msg_deliver_page *page, uint32_t seq,
			 int fd)
{
	struct buf text = { 0 };
	struct viewer_conn *c;
	size_t len;

	TAILQ_FOREACH(c, &l->waiting, asked.entry)
		if (c->asked.seq == seq)
			break;
	if (c == NULL)
		return; /* the client has left, or has waited too long */
	stop_waiting(l, c);
	if (page->status != 200) {
		viewer_conn_reject(c, (int)page->status);
	} else if (page->len > 0) {
		send_guide(l, c, page, fd);
	} else if (fd_read_all(fd, MSG_PAGE_MAX, &text) < 0 ||
		   (len = buf_len(&text)) > LISTS_BYTES_MAX - l->bytes) {
		viewer_conn_reject(c, 503);
	} else {
		c->asked.bytes = len;
		l->bytes += len;
		send_list(c, page->type, &text);
	}
	buf_done(&text);
}

void stream_lists_expire(struct stream_lists *l, uint64_t now_ms)
{
	struct viewer_conn *c, *next;

	for (c = TAILQ_FIRST(&l->waiting); c != NULL; c = next) {
		next = TAILQ_NEXT(c, asked.entry);
		if (now_ms < c->asked.until_ms)
			continue;
		stream_lists_forget(l, c);
		viewer_conn_reject(c, 503);
	}
	drop_unused(l);
}

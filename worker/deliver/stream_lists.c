/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/stream_lists.h"

#include "common/base/fd.h"
#include "worker/deliver/viewer_conn.h"

#include <stdio.h>
#include <string.h>

enum { HEADERS_MAX = 256 };

void stream_lists_init(struct stream_lists *l,
		       int (*send)(const struct msg *, void *arg), void *arg)
{
	*l = (struct stream_lists){ .send = send, .arg = arg };
	TAILQ_INIT(&l->waiting);
}

static bool is_master(const char *path)
{
	static const char folder[] = "/play/", master[] = "/master.m3u8";
	const char *name = strrchr(path, '/');

	return name != NULL && strcmp(name, master) == 0 &&
	       strncmp(path, folder, strlen(folder)) == 0;
}

bool stream_lists_path(const char *path)
{
	return strcmp(path, "/playlist.m3u8") == 0 ||
	       strcmp(path, "/playlist.xspf") == 0 || is_master(path);
}

void stream_lists_forget(struct stream_lists *l, struct viewer_conn *c)
{
	if (c->asked.seq != 0) {
		TAILQ_REMOVE(&l->waiting, c, asked.entry);
		l->n--;
	}
	c->asked.seq = 0;
	l->bytes -= c->asked.bytes;
	c->asked.bytes = 0;
}

void stream_lists_ask(struct stream_lists *l, struct viewer_conn *c,
		      const struct msg_deliver_playlist *question,
		      const struct ip_address *address, uint64_t now_ms)
{
	struct msg m = { .type = MSG_DELIVER_PLAYLIST,
			 .deliver_playlist = *question };
	enum playlist_kind kind = is_master(question->path)
					  ? PLAYLIST_MASTER : PLAYLIST_STREAMS;

	l->seq = l->seq < UINT32_MAX ? l->seq + 1 : 1;
	m.seq = l->seq;
	if (l->n >= LISTS_MAX ||
	    !playlist_limit_pass(&l->limit, kind, address, now_ms) ||
	    l->send(&m, l->arg) < 0) {
		viewer_conn_reject(c, 503);
		return;
	}
	c->asked.seq = l->seq;
	c->asked.until_ms = now_ms + LISTS_WAIT_MS;
	TAILQ_INSERT_TAIL(&l->waiting, c, asked.entry);
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
		return; /* it has left, or waited too long */
	stream_lists_forget(l, c);
	if (page->status != 200) {
		viewer_conn_reject(c, (int)page->status);
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
	struct viewer_conn *c;

	while ((c = TAILQ_FIRST(&l->waiting)) != NULL &&
	       now_ms >= c->asked.until_ms) {
		stream_lists_forget(l, c);
		viewer_conn_reject(c, 503);
	}
}

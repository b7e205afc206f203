/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/http/response.h"

#include "proto/wire/http_status.h"

#include <assert.h>
#include <errno.h>
#include <sys/socket.h>

enum { WRITE_MAX = 256 * 1024 }; /* bytes written per wake-up */

void http_unsent_write(struct http_unsent *u, const struct http_answer *a,
		       bool head_only, enum http_connection connection,
		       time_t now)
{
	/* these have no body; 204 must not have its length, and 304 need not
	 * (RFC 9110 8.6) */
	bool bodiless = a->status == 204 || a->status == 304;
	char date[HTTP_DATE_MAX];
	struct buf *out = &u->buf;

	assert(u->len == 0);
	http_date_format(date, now);
	buf_printf(out, "HTTP/1.1 %d %s\r\nDate: %s\r\n", a->status,
		   http_status_text(a->status), date);
	if (a->content_type)
		buf_printf(out, "Content-Type: %s\r\n", a->content_type);
	if (!bodiless)
		buf_printf(out, "Content-Length: %zu\r\n", a->len);
	buf_printf(out,
		   "Connection: %s\r\n"
		   "Cache-Control: %s\r\n"
		   "X-Content-Type-Options: nosniff\r\n%s\r\n",
		   connection == HTTP_KEEP_ALIVE ? "keep-alive" : "close",
		   a->cache != NULL ? a->cache : "no-store",
		   a->headers != NULL ? a->headers : "");
	if (bodiless || head_only)
		return;
	if (a->lasting) {
		u->body = a->body;
		u->len = a->len;
	} else {
		buf_append(out, a->body, a->len);
	}
}

size_t http_unsent_len(const struct http_unsent *u)
{
	return buf_len(&u->buf) + u->len;
}

ssize_t http_unsent_send(struct http_unsent *u, int fd)
{
	size_t copied = MIN(buf_len(&u->buf), (size_t)WRITE_MAX);
	struct iovec parts[] = {
		{ u->buf.data != NULL ? buf_head(&u->buf) : NULL, copied },
		{ (void *)(uintptr_t)u->body,
		  copied == buf_len(&u->buf) ? MIN(u->len, (size_t)WRITE_MAX)
					     : 0 },
	};
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n;

	if (http_unsent_len(u) == 0)
		return 0;
	n = sendmsg(fd, &msg, MSG_NOSIGNAL);
	if (n < 0)
		return -errno;
	copied = MIN(copied, (size_t)n);
	buf_take(&u->buf, copied);
	if ((size_t)n > copied) {
		u->body += (size_t)n - copied;
		u->len -= (size_t)n - copied;
	}
	return n;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/http/response.h"

#include "proto/wire/http_status.h"

void http_response_write(struct buf *out, const struct http_answer *a,
			 bool head_only, enum http_connection connection,
			 time_t now)
{
	/* RFC 9110 8.6: these never have a body or its length */
	bool bodiless = a->status == 204 || a->status == 304;
	char date[HTTP_DATE_MAX];

	http_date_format(date, now);
	buf_printf(out, "HTTP/1.1 %d %s\r\nDate: %s\r\n", a->status,
		   http_status_text(a->status), date);
	if (a->content_type)
		buf_printf(out, "Content-Type: %s\r\n", a->content_type);
	if (!bodiless)
		buf_printf(out, "Content-Length: %zu\r\n", a->len);
	buf_printf(out,
		   "Connection: %s\r\n"
		   "Cache-Control: no-store\r\n"
		   "X-Content-Type-Options: nosniff\r\n%s\r\n",
		   connection == HTTP_KEEP_ALIVE ? "keep-alive" : "close",
		   a->headers != NULL ? a->headers : "");
	if (!bodiless && !head_only)
		buf_append(out, a->body, a->len);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/hls_content.h"

#include "proto/wire/http_range.h"
#include "proto/wire/http_status.h"
#include "proto/wire/http_target.h"
#include "worker/deliver/viewer_conn.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { HEADERS_MAX = 640, RANGE_MAX = 64 };

bool hls_content_is_known(const struct http_request *r, const char *tag,
			  const char *modified)
{
	const char *none = http_request_header(r, "if-none-match");
	const char *since = http_request_header(r, "if-modified-since");

	/* RFC 9110 13.2.2: If-None-Match takes precedence */
	if (none != NULL)
		return strcmp(none, "*") == 0 || strstr(none, tag) != NULL;
	return modified != NULL && since != NULL &&
	       strcmp(since, modified) == 0;
}

const char *hls_content_privacy(const struct http_request *r)
{
	return http_query_has_preview(http_request_query(r)) ? "private, " : "";
}

void hls_content_send(struct viewer_conn *c, const struct http_request *r,
		      const struct hls_content *x)
{
	char headers[HEADERS_MAX], range[RANGE_MAX] = "";
	char modified[HTTP_DATE_MAX], expires[HTTP_DATE_MAX];
	const char *wanted = http_request_header(r, "range");
	const char *condition = http_request_header(r, "if-range");
	uint64_t from = 0, to = x->len;
	struct viewer_answer a = { .status = 200, .headers = headers,
				   .mount = x->mount, .blob = x->blob };

	http_date_format(modified, (time_t)(x->wall_ms / 1000));
	http_date_format(expires, time(NULL) + x->age_s);
	/* RFC 9110 14.2: a range applies to GET alone */
	if (strcmp(http_request_method(r), "GET") != 0 ||
	    (condition != NULL && strcmp(condition, x->tag) != 0))
		wanted = NULL;
	if (hls_content_is_known(r, x->tag, modified)) {
		a.status = 304;
	} else {
		switch (http_range_read(wanted, x->len, &from, &to)) {
		case HTTP_RANGE_WHOLE:
			break;
		case HTTP_RANGE_PART:
			a.status = 206;
			(void)snprintf(range, sizeof range,
				       "Content-Range: bytes %ju-%ju/%ju\r\n",
				       (uintmax_t)from, (uintmax_t)to - 1,
				       (uintmax_t)x->len);
			break;
		case HTTP_RANGE_NONE:
			a.status = 416;
			a.mount = NULL;
			a.blob = NULL;
			to = from;
			(void)snprintf(range, sizeof range,
				       "Content-Range: bytes */%ju\r\n",
				       (uintmax_t)x->len);
			break;
		}
	}
	a.start = x->start + from;
	a.end = x->start + to;
	/* a cache would send the error to other clients, not the segment */
	if (a.status == 416) {
		(void)snprintf(headers, sizeof headers,
			       "%sCache-Control: no-store\r\n"
			       HLS_CORS_EXPOSE, range);
		viewer_conn_answer(c, &a);
		return;
	}
	(void)snprintf(headers, sizeof headers,
		       "Content-Type: %s\r\n"
		       "Accept-Ranges: bytes\r\n%s"
		       "ETag: %s\r\n"
		       "Last-Modified: %s\r\n"
		       "Expires: %s\r\n"
		       "Cache-Control: %smax-age=%u, immutable\r\n"
		       HLS_CORS_EXPOSE, x->type, range, x->tag, modified,
		       expires, hls_content_privacy(r), x->age_s);
	viewer_conn_answer(c, &a);
}

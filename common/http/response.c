/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/http/response.h"

static const struct {
	int status;
	const char *text;
} texts[] = {
	{ 200, "OK" },
	{ 204, "No Content" },
	{ 302, "Found" },
	{ 304, "Not Modified" },
	{ 400, "Bad Request" },
	{ 401, "Unauthorized" },
	{ 403, "Forbidden" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 408, "Request Timeout" },
	{ 411, "Length Required" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 415, "Unsupported Media Type" },
	{ 417, "Expectation Failed" },
	{ 429, "Too Many Requests" },
	{ 431, "Request Header Fields Too Large" },
	{ 500, "Internal Server Error" },
	{ 501, "Not Implemented" },
	{ 503, "Service Unavailable" },
	{ 505, "HTTP Version Not Supported" },
};

const char *http_status_text(int status)
{
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].status == status)
			return texts[i].text;
	return "Unknown";
}

static void write_date(struct buf *out, time_t now)
{
	char date[64];
	struct tm tm;

	if (gmtime_r(&now, &tm) &&
	    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm) > 0)
		buf_printf(out, "Date: %s\r\n", date);
}

void http_response_write(struct buf *out, const struct http_answer *a,
			 bool head_only, enum http_connection connection,
			 time_t now)
{
	/* RFC 9110 8.6: these never have a body or its length */
	bool bodiless = a->status == 204 || a->status == 304;

	buf_printf(out, "HTTP/1.1 %d %s\r\n", a->status,
		   http_status_text(a->status));
	write_date(out, now);
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

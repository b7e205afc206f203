/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/http_answer.h"

#include "common/base/util.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { DATE_MAX = 40 };

static const struct {
	unsigned status;
	const char *reason;
} reasons[] = {
	{ 400, "Bad Request" },
	{ 404, "Not Found" },
	{ 405, "Method Not Allowed" },
	{ 408, "Request Timeout" },
	{ 413, "Content Too Large" },
	{ 414, "URI Too Long" },
	{ 431, "Request Header Fields Too Large" },
	{ 501, "Not Implemented" },
	{ 503, "Service Unavailable" },
	{ 505, "HTTP Version Not Supported" },
};

static const char *reason_of(unsigned status)
{
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Error";
}

/* RFC 9110 5.6.7; the locale is never set, so names are English. */
static void format_date(char *text, time_t now)
{
	struct tm tm;

	(void)gmtime_r(&now, &tm);
	(void)strftime(text, DATE_MAX, "%a, %d %b %Y %H:%M:%S GMT", &tm);
}

size_t http_answer_stream(char *text, time_t now)
{
	char date[DATE_MAX];
	int n;

	format_date(date, now);
	n = snprintf(text, HTTP_ANSWER_MAX,
		     "HTTP/1.1 200 OK\r\n"
		     "Date: %s\r\n"
		     "Content-Type: video/mp2t\r\n"
		     "Cache-Control: no-cache\r\n"
		     "Access-Control-Allow-Origin: *\r\n"
		     "Connection: close\r\n"
		     "\r\n",
		     date);
	assert(n > 0 && n < HTTP_ANSWER_MAX);
	return (size_t)n;
}

size_t http_answer_error(char *text, unsigned status, bool head_only,
			 time_t now)
{
	const char *reason = reason_of(status);
	char date[DATE_MAX];
	int n;

	format_date(date, now);
	n = snprintf(text, HTTP_ANSWER_MAX,
		     "HTTP/1.1 %u %s\r\n"
		     "Date: %s\r\n"
		     "%s%s"
		     "Content-Type: text/plain\r\n"
		     "X-Content-Type-Options: nosniff\r\n"
		     "Content-Length: %zu\r\n"
		     "Access-Control-Allow-Origin: *\r\n"
		     "Connection: close\r\n"
		     "\r\n"
		     "%s%s",
		     status, reason, date,
		     status == 405 ? "Allow: GET, HEAD\r\n" : "",
		     status == 503 ? "Retry-After: 1\r\n" : "",
		     strlen(reason) + 1, head_only ? "" : reason,
		     head_only ? "" : "\n");
	assert(n > 0 && n < HTTP_ANSWER_MAX);
	return (size_t)n;
}

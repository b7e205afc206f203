/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_status.h"

#include "common/base/util.h"

static const struct {
	int status;
	const char *text;
} texts[] = {
	{ 200, "OK" },
	{ 204, "No Content" },
	{ 206, "Partial Content" },
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
	{ 416, "Range Not Satisfiable" },
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

/* Writes a date (RFC 9110 5.6.7).  The locale is never set, so the names are
 * English. */
void http_date_format(char *text, time_t now)
{
	struct tm tm;

	(void)gmtime_r(&now, &tm);
	(void)strftime(text, HTTP_DATE_MAX, "%a, %d %b %Y %H:%M:%S GMT", &tm);
}

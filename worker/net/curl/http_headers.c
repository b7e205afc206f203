/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/http_headers.h"

#include "proto/spec/http_spec.h"

#include <errno.h>
#include <string.h>

bool headers_add(struct curl_slist **headers, const char *lines)
{
	char text[HTTP_HEADER_BYTES_MAX + 1], *rest = text, *line;

	memcpy(text, lines, strlen(lines) + 1);
	while ((line = strsep(&rest, "\n")) != NULL) {
		struct curl_slist *more;

		if (line[0] == '\0')
			continue;
		more = curl_slist_append(*headers, line);
		if (more == NULL)
			return false;
		*headers = more;
	}
	return true;
}

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
	struct headers *h = arg;

	(void)data;
	h->len += size * n;
	return h->len <= HEADERS_MAX ? size * n : CURL_WRITEFUNC_ERROR;
}

bool headers_watch(struct headers *h, CURL *easy)
{
	return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) ==
		       CURLE_OK &&
	       curl_easy_setopt(easy, CURLOPT_HEADERDATA, h) == CURLE_OK;
}

int headers_check(const struct headers *h, struct errmsg *error)
{
	if (h->len <= HEADERS_MAX)
		return 0;
	return errmsg_fail(error, -EFBIG, "the headers of the reply are longer "
			   "than %d bytes", HEADERS_MAX);
}

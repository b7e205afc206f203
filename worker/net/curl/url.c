/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/url.h"

#include "common/base/alloc.h"
#include "common/base/sockaddr.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static CURLU *read_url(const char *text)
{
	CURLU *u = curl_url();

	if (u == NULL)
		abort();
	if (curl_url_set(u, CURLUPART_URL, text, 0) == CURLUE_OK)
		return u;
	curl_url_cleanup(u);
	return NULL;
}

/* A part of the URL as a new string; NULL: the URL has no such part. */
static char *get(CURLU *u, CURLUPart part, unsigned flags)
{
	char *text = NULL, *copy;

	if (curl_url_get(u, part, &text, flags) != CURLUE_OK)
		return NULL;
	copy = xstrdup(text);
	curl_free(text);
	return copy;
}

static bool is_same_server(CURLU *a, CURLU *b)
{
	static const CURLUPart parts[] = { CURLUPART_SCHEME, CURLUPART_HOST,
					   CURLUPART_PORT };
	bool same = true;

	for (size_t i = 0; same && i < ARRAY_LEN(parts); i++) {
		char *x = get(a, parts[i], CURLU_DEFAULT_PORT);
		char *y = get(b, parts[i], CURLU_DEFAULT_PORT);

		same = x != NULL && y != NULL && strcasecmp(x, y) == 0;
		free(x);
		free(y);
	}
	return same;
}

static char *resolve(CURLU *u, const char *text, struct errmsg *error)
{
	char *scheme;
	bool is_http;
	CURLUcode r;

	(void)curl_url_set(u, CURLUPART_USER, NULL, 0);
	(void)curl_url_set(u, CURLUPART_PASSWORD, NULL, 0);
	r = curl_url_set(u, CURLUPART_URL, text, 0);
	if (r != CURLUE_OK) {
		errmsg_set(error, "\"%.64s\": %s", text, curl_url_strerror(r));
		return NULL;
	}
	scheme = get(u, CURLUPART_SCHEME, 0);
	is_http = scheme != NULL && (strcasecmp(scheme, "http") == 0 ||
				     strcasecmp(scheme, "https") == 0);
	free(scheme);
	if (!is_http) {
		errmsg_set(error, "\"%.64s\": only http and https are allowed",
			   text);
		return NULL;
	}
	(void)curl_url_set(u, CURLUPART_FRAGMENT, NULL, 0);
	return get(u, CURLUPART_URL, 0);
}

char *url_resolve(const char *base, const char *text, size_t len,
		  struct errmsg *error)
{
	CURLU *u = read_url(base);
	char *copy, *url;

	if (u == NULL) {
		errmsg_set(error, "\"%.64s\" is not a URL", base);
		return NULL;
	}
	copy = xstrndup(text, len);
	url = resolve(u, copy, error);
	free(copy);
	curl_url_cleanup(u);
	return url;
}

static void lend(CURLU *to, CURLU *from, CURLUPart part)
{
	char *text = get(from, part, 0);

	if (text != NULL)
		(void)curl_url_set(to, part, text, 0);
	free(text);
}

char *url_at_home(const char *url, const char *home, bool *ret_at_home)
{
	CURLU *u = read_url(url), *h = read_url(home);
	char *user = u != NULL ? get(u, CURLUPART_USER, 0) : NULL;
	char *ret = NULL;

	*ret_at_home = u != NULL && h != NULL && is_same_server(u, h);
	if (*ret_at_home && user == NULL) {
		lend(u, h, CURLUPART_USER);
		lend(u, h, CURLUPART_PASSWORD);
	}
	if (u != NULL)
		ret = get(u, CURLUPART_URL, 0);
	free(user);
	curl_url_cleanup(u);
	curl_url_cleanup(h);
	return ret;
}

bool url_has_name(const char *url)
{
	CURLU *u = read_url(url);
	char *host = u != NULL ? get(u, CURLUPART_HOST, 0) : NULL;
	struct sockaddr_any any;
	/* an address of IPv6 is in brackets */
	bool is_name = host != NULL && host[0] != '[' &&
		       sockaddr_parse(host, 0, &any) < 0;

	free(host);
	curl_url_cleanup(u);
	return is_name;
}

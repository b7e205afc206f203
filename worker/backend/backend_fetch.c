/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/backend/backend_fetch.h"

#include "common/base/alloc.h"
#include "common/base/util.h"
#include "config.h"
#include "worker/net/curl/names.h"
#include "worker/net/curl/transfer_error.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	TEXT_MAX = 128,
	LOCATION_MAX = 1024,
	/* calls of backend_fetch_is_answered() in which a short body may
	 * arrive, so that the connection can be used again */
	BODY_TURNS = 10,
};

struct backend_fetch {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	uint32_t seq;
	size_t received; /* bytes of headers and body */
	bool answered;   /* the head of the answer is complete */
	/* calls of backend_fetch_is_answered() since the head was complete */
	unsigned turns;
	char detail[CURL_ERROR_SIZE];
	struct errmsg error;
	char login[TEXT_MAX + 1], user[TEXT_MAX + 1];
	char location[LOCATION_MAX + 1];
};

/* Adds a header.  Replaces control characters by spaces, so that a value of a
 * request cannot begin another header.  False: no memory. */
static bool add_header(struct backend_fetch *f, const char *name,
		       const char *value)
{
	char *line = xasprintf("%s: %s", name, value);
	struct curl_slist *more;

	for (char *c = line; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	/* libcurl omits a header without a value */
	more = curl_slist_append(f->headers, line);
	free(line);
	if (more != NULL)
		f->headers = more;
	return more != NULL;
}

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
	struct backend_fetch *f = arg;
	long status = 0;

	f->received += size * n;
	if (f->received > BACKEND_HEADERS_MAX)
		return CURL_WRITEFUNC_ERROR;
	if (size * n == 0 || (data[0] != '\r' && data[0] != '\n'))
		return size * n;
	/* the line ends a head, which is the answer if its status is 200 to
	 * 299, or from 400 on */
	(void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
	if ((status >= 200 && status < 300) || status >= 400)
		f->answered = true;
	return size * n;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct backend_fetch *f = arg;

	(void)data;
	f->received += size * n;
	return f->received <= BACKEND_HEADERS_MAX ? size * n
						  : CURL_WRITEFUNC_ERROR;
}

#define SET(f, option, value) \
	(curl_easy_setopt((f)->easy, CURLOPT_##option, (value)) == CURLE_OK)

static bool begin(struct backend_fetch *f, const struct msg_backend_ask *ask)
{
	f->easy = curl_easy_init();
	return f->easy != NULL && SET(f, URL, ask->url) &&
	       add_header(f, "X-Session-ID", ask->session) &&
	       add_header(f, "X-Channel-ID", ask->channel) &&
	       add_header(f, "X-Real-IP", ask->peer) &&
	       add_header(f, "X-Real-Path", ask->path) &&
	       add_header(f, "X-Real-UA", ask->agent) &&
	       add_header(f, "X-Real-Host", ask->host) &&
	       SET(f, HTTPHEADER, f->headers) &&
	       SET(f, USERAGENT, "Sluice/" PACKAGE_VERSION) &&
	       SET(f, PROTOCOLS_STR, "http,https") &&
	       SET(f, REDIR_PROTOCOLS_STR, "http,https") &&
	       SET(f, FOLLOWLOCATION, 1L) &&
	       SET(f, MAXREDIRS, (long)BACKEND_REDIRECTS_MAX) &&
	       SET(f, TIMEOUT_MS, (long)BACKEND_FETCH_MS) &&
	       SET(f, NOSIGNAL, 1L) && SET(f, QUICK_EXIT, 1L) &&
	       SET(f, NOPROXY, "*") && SET(f, ERRORBUFFER, f->detail) &&
	       SET(f, HEADERFUNCTION, on_header) && SET(f, HEADERDATA, f) &&
	       SET(f, WRITEFUNCTION, on_body) && SET(f, WRITEDATA, f) &&
	       names_watch(f->easy) && SET(f, PRIVATE, f) &&
	       curl_multi_add_handle(f->multi, f->easy) == CURLM_OK;
}

struct backend_fetch *backend_fetch_new(CURLM *multi, uint32_t seq,
					const struct msg_backend_ask *ask)
{
	struct backend_fetch *f = xcalloc(1, sizeof *f);

	f->multi = multi;
	f->seq = seq;
	if (!begin(f, ask))
		backend_fetch_free(&f);
	return f;
}

void backend_fetch_free(struct backend_fetch **fp)
{
	struct backend_fetch *f = *fp;

	*fp = NULL;
	if (f == NULL)
		return;
	if (f->easy != NULL) {
		(void)curl_multi_remove_handle(f->multi, f->easy);
		curl_easy_cleanup(f->easy);
	}
	curl_slist_free_all(f->headers);
	free(f);
}

uint32_t backend_fetch_seq(const struct backend_fetch *f)
{
	return f->seq;
}

bool backend_fetch_is_answered(struct backend_fetch *f)
{
	return f->answered && f->turns++ >= BODY_TURNS;
}

/* Returns text with the value of a header of the last answer.  An absent value,
 * or a longer one than fits, leaves text unchanged. */
static const char *read_text(const struct backend_fetch *f, const char *name,
			     char *text, size_t size)
{
	struct curl_header *h;

	if (curl_easy_header(f->easy, name, 0, CURLH_HEADER, -1, &h) ==
		    CURLHE_OK &&
	    strlen(h->value) < size)
		(void)snprintf(text, size, "%s", h->value);
	return text;
}

static uint32_t read_number(const struct backend_fetch *f, const char *name)
{
	char text[12] = "";

	(void)read_text(f, name, text, sizeof text);
	if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
		return 0;
	return (uint32_t)MIN(strtoul(text, NULL, 10), 1000000000ul);
}

void backend_fetch_end(struct backend_fetch *f, CURLcode code,
		       struct msg_backend_result *ret)
{
	long status = 0;

	*ret = (struct msg_backend_result){
		.login = "", .user = "", .location = "", .error = "",
	};
	if (code != CURLE_OK && !f->answered) {
		transfer_error(f->easy, code, f->detail, &f->error);
		ret->error = f->error.text;
		return;
	}
	(void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
	ret->status = status > 0 && status < 1000 ? (uint32_t)status : 0;
	ret->login = read_text(f, "X-Session-Name", f->login,
			       sizeof f->login);
	ret->user = read_text(f, "X-UserId", f->user, sizeof f->user);
	ret->location = read_text(f, "X-Location", f->location,
				  sizeof f->location);
	ret->duration_s = read_number(f, "X-AuthDuration");
	ret->max_sessions = read_number(f, "X-Max-Sessions");
	if (ret->status == 0)
		ret->error = "the answer has no status";
}

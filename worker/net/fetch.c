/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/fetch.h"

#include "common/alloc.h"
#include "config.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	REDIRECTS_MAX = 5,
	RECEIVE_BUFFER = 256 * 1024,
};

struct fetch {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	fetch_fn *on_data;
	void *arg;
	bool paused;
	enum fetch_state state;
	CURLcode result;
	long status; /* HTTP, 0: none came */
	char detail[CURL_ERROR_SIZE];
};

static size_t on_bytes(char *data, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;

	if (f->on_data((const uint8_t *)data, size * n, f->arg))
		return size * n;
	f->paused = true;
	return CURL_WRITEFUNC_PAUSE;
}

static bool add_headers(struct fetch *f, const char *lines)
{
	char text[HTTP_HEADERS_MAX + 1], *rest = text, *line;

	memcpy(text, lines, strlen(lines) + 1);
	while ((line = strsep(&rest, "\n")) != NULL) {
		struct curl_slist *more;

		if (line[0] == '\0')
			continue;
		more = curl_slist_append(f->headers, line);
		if (more == NULL)
			return false;
		f->headers = more;
	}
	return true;
}

#define SET(f, option, value) \
	(curl_easy_setopt((f)->easy, CURLOPT_##option, (value)) == CURLE_OK)

static bool set_what(struct fetch *f, const struct http_spec *spec,
		     const char *url)
{
	return SET(f, URL, url) && SET(f, PROTOCOLS_STR, "http,https") &&
	       SET(f, REDIR_PROTOCOLS_STR, "http,https") &&
	       SET(f, FOLLOWLOCATION, 1L) &&
	       SET(f, MAXREDIRS, (long)REDIRECTS_MAX) &&
	       SET(f, HTTPAUTH, (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST)) &&
	       SET(f, USERAGENT, spec->user_agent[0] != '\0'
					 ? spec->user_agent
					 : "Sluice/" PACKAGE_VERSION) &&
	       SET(f, SSL_VERIFYPEER, spec->insecure ? 0L : 1L) &&
	       SET(f, SSL_VERIFYHOST, spec->insecure ? 0L : 2L) &&
	       add_headers(f, spec->headers) &&
	       SET(f, HTTPHEADER, f->headers) && SET(f, FAILONERROR, 1L);
}

static bool set_how(struct fetch *f, const struct http_spec *spec)
{
	/* without QUICK_EXIT the end of a transfer waits for a name server
	 * that does not answer, and the stream with it */
	return SET(f, NOSIGNAL, 1L) && SET(f, QUICK_EXIT, 1L) &&
	       SET(f, NOPROXY, "*") &&
	       SET(f, CONNECTTIMEOUT, (long)spec->timeout_s) &&
	       SET(f, LOW_SPEED_LIMIT, 1L) &&
	       SET(f, LOW_SPEED_TIME, (long)spec->timeout_s) &&
	       SET(f, BUFFERSIZE, (long)RECEIVE_BUFFER) &&
	       SET(f, TCP_KEEPALIVE, 1L) &&
	       SET(f, ERRORBUFFER, f->detail) &&
	       SET(f, WRITEFUNCTION, on_bytes) && SET(f, WRITEDATA, f);
}

struct fetch *fetch_new(const struct http_spec *spec, const char *url,
			fetch_fn *on_data, void *arg, int *ret_err,
			struct errmsg *why)
{
	struct fetch *f = xcalloc(1, sizeof *f);

	f->on_data = on_data;
	f->arg = arg;
	f->multi = curl_multi_init();
	f->easy = curl_easy_init();
	if (f->multi != NULL && f->easy != NULL && set_what(f, spec, url) &&
	    set_how(f, spec) &&
	    curl_multi_add_handle(f->multi, f->easy) == CURLM_OK)
		return f;
	*ret_err = errmsg_fail(why, -EINVAL, "http: cannot be asked for: %s",
			       f->detail);
	fetch_free(&f);
	return NULL;
}

void fetch_free(struct fetch **fetch)
{
	struct fetch *f = *fetch;

	*fetch = NULL;
	if (f == NULL)
		return;
	if (f->multi != NULL && f->easy != NULL)
		(void)curl_multi_remove_handle(f->multi, f->easy);
	if (f->easy != NULL)
		curl_easy_cleanup(f->easy);
	if (f->multi != NULL)
		(void)curl_multi_cleanup(f->multi);
	curl_slist_free_all(f->headers);
	free(f);
}

static void note_end(struct fetch *f)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(f->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		f->result = m->data.result;
		f->state = f->result == CURLE_OK ? FETCH_DONE : FETCH_FAILED;
		(void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE,
					&f->status);
	}
}

void fetch_turn(struct fetch *f)
{
	int running;

	if (f->state != FETCH_RUNS)
		return;
	if (curl_multi_perform(f->multi, &running) != CURLM_OK) {
		f->state = FETCH_FAILED;
		f->result = CURLE_FAILED_INIT;
		return;
	}
	if (running == 0)
		note_end(f);
}

void fetch_resume(struct fetch *f)
{
	if (!f->paused)
		return;
	f->paused = false;
	(void)curl_easy_pause(f->easy, CURLPAUSE_CONT);
}

enum fetch_state fetch_state(const struct fetch *f)
{
	return f->state;
}

int fetch_error(const struct fetch *f, struct errmsg *why)
{
	if (f->result == CURLE_HTTP_RETURNED_ERROR)
		return errmsg_fail(why, -EREMOTEIO,
				   "the server answers %ld", f->status);
	if (f->result == CURLE_OPERATION_TIMEDOUT)
		return errmsg_fail(why, -ETIMEDOUT, "http: %s",
				   f->detail[0] != '\0' ? f->detail
							: "timed out");
	return errmsg_fail(why, -EREMOTEIO, "http: %s",
			   f->detail[0] != '\0'
				   ? f->detail
				   : curl_easy_strerror(f->result));
}

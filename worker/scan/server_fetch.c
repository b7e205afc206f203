/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/server_fetch.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "config.h"
#include "worker/net/curl/transfer_error.h"
#include "worker/scan/server_description.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

enum { HTTP_OK = 200 };

struct fetch {
	struct server_load load;
	CURL *easy;
	size_t received; /* bytes of headers and body */
	struct buf body;
	char detail[CURL_ERROR_SIZE];
};

struct server_fetches {
	CURLM *multi;
	server_fetched_fn *on_end;
	void *arg;
	struct fetch *list[SERVER_FETCHES_MAX]; /* NULL: no load */
};

static bool is_too_long(const struct fetch *f)
{
	return f->received > SERVER_DESCRIPTION_MAX;
}

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;

	(void)data;
	f->received += size * n;
	return is_too_long(f) ? CURL_WRITEFUNC_ERROR : size * n;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;

	f->received += size * n;
	if (is_too_long(f))
		return CURL_WRITEFUNC_ERROR;
	buf_append(&f->body, data, size * n);
	return size * n;
}

#define SET(f, option, value) \
	(curl_easy_setopt((f)->easy, CURLOPT_##option, (value)) == CURLE_OK)

static bool begin(struct fetch *f, CURLM *multi)
{
	char url[SERVER_URL_MAX];

	server_url_format(&f->load.url, f->load.host, url);
	f->easy = curl_easy_init();
	return f->easy != NULL && SET(f, URL, url) &&
	       SET(f, PROTOCOLS_STR, "http") && SET(f, FOLLOWLOCATION, 0L) &&
	       SET(f, USERAGENT, "Sluice/" PACKAGE_VERSION) &&
	       SET(f, TIMEOUT_MS, (long)SERVER_FETCH_MS) &&
	       SET(f, NOSIGNAL, 1L) && SET(f, NOPROXY, "*") &&
	       SET(f, FORBID_REUSE, 1L) && SET(f, PATH_AS_IS, 1L) &&
	       SET(f, ERRORBUFFER, f->detail) &&
	       SET(f, HEADERFUNCTION, on_header) && SET(f, HEADERDATA, f) &&
	       SET(f, WRITEFUNCTION, on_body) && SET(f, WRITEDATA, f) &&
	       SET(f, PRIVATE, f) &&
	       curl_multi_add_handle(multi, f->easy) == CURLM_OK;
}

static void fetch_free(struct server_fetches *all, size_t i)
{
	struct fetch *f = all->list[i];

	all->list[i] = NULL;
	if (f == NULL)
		return;
	if (f->easy != NULL) {
		(void)curl_multi_remove_handle(all->multi, f->easy);
		curl_easy_cleanup(f->easy);
	}
	buf_done(&f->body);
	free(f);
}

struct server_fetches *server_fetches_new(server_fetched_fn *on_end, void *arg)
{
	struct server_fetches *all = xcalloc(1, sizeof *all);

	all->on_end = on_end;
	all->arg = arg;
	all->multi = curl_multi_init();
	if (all->multi == NULL)
		server_fetches_free(&all);
	return all;
}

void server_fetches_free(struct server_fetches **pall)
{
	struct server_fetches *all = *pall;

	*pall = NULL;
	if (all == NULL)
		return;
	for (size_t i = 0; i < SERVER_FETCHES_MAX; i++)
		fetch_free(all, i);
	if (all->multi != NULL)
		(void)curl_multi_cleanup(all->multi);
	free(all);
}

bool server_fetches_has_room(const struct server_fetches *all)
{
	for (size_t i = 0; i < SERVER_FETCHES_MAX; i++)
		if (all->list[i] == NULL)
			return true;
	return false;
}

void server_fetches_add(struct server_fetches *all,
			const struct server_load *load)
{
	struct fetch *f;
	size_t i = 0;

	while (i < SERVER_FETCHES_MAX && all->list[i] != NULL)
		i++;
	if (i == SERVER_FETCHES_MAX)
		return;
	f = all->list[i] = xcalloc(1, sizeof *f);
	f->load = *load;
	if (begin(f, all->multi))
		return;
	fetch_free(all, i);
	all->on_end(load->ticket, NULL, "cannot be requested", all->arg);
}

/* Reads the facts of a finished load; false with error: there is no
 * description. */
static bool read_facts(const struct fetch *f, CURLcode code,
		       struct server_facts *ret, struct errmsg *error)
{
	struct curl_header *h;
	uint32_t port = 0;
	long status = 0;

	if (is_too_long(f)) {
		errmsg_set(error, "is longer than %d bytes",
			   SERVER_DESCRIPTION_MAX);
		return false;
	}
	if (code != CURLE_OK) {
		transfer_error(f->easy, code, f->detail, error);
		return false;
	}
	(void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != HTTP_OK) {
		errmsg_set(error, "the server answers %ld", status);
		return false;
	}
	if (server_description_parse(buf_head(&f->body), buf_len(&f->body),
				     f->load.host, f->load.url.port, ret,
				     error) < 0)
		return false;
	/* servers that do not use port 554 for RTSP name it in a header */
	if (curl_easy_header(f->easy, "X-SATIP-RTSP-Port", 0, CURLH_HEADER, -1,
			     &h) == CURLHE_OK)
		(void)slice_number((struct slice){ h->value,
						   strlen(h->value) },
				   UINT16_MAX, &port);
	ret->port = (uint16_t)port;
	return true;
}

static void finish(struct server_fetches *all, struct fetch *f, CURLcode code)
{
	struct server_facts facts;
	char url[SERVER_URL_MAX];
	struct errmsg error = { 0 };
	uint32_t ticket = f->load.ticket;
	bool loaded = read_facts(f, code, &facts, &error);

	server_url_format(&f->load.url, f->load.host, url);
	errmsg_prefix(&error, "%.160s: ", url);
	for (size_t i = 0; i < SERVER_FETCHES_MAX; i++)
		if (all->list[i] == f)
			fetch_free(all, i);
	all->on_end(ticket, loaded ? &facts : NULL, error.text, all->arg);
}

void server_fetches_turn(struct server_fetches *all)
{
	struct fetch *f;
	int running, left;
	CURLMsg *m;

	(void)curl_multi_perform(all->multi, &running);
	while ((m = curl_multi_info_read(all->multi, &left)) != NULL)
		if (m->msg == CURLMSG_DONE &&
		    curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE,
				      (char **)&f) == CURLE_OK)
			finish(all, f, m->data.result);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/curl/fetch.h"

#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/units.h"
#include "config.h"
#include "worker/core/hidden.h"
#include "worker/net/curl/http_headers.h"
#include "worker/net/curl/names.h"
#include "worker/net/curl/reach.h"
#include "worker/net/curl/transfer_error.h"
#include "worker/net/curl/url.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	REDIRECTS_MAX = 5,
	RECEIVE_BUFFER = 256 * 1024,
	CONNECTIONS_MAX = 4,
	PARTIAL = 206, /* HTTP status: Partial Content */
	/* If a server sets more cookies than this, it tries to fill the memory:
	 * all cookies are deleted. libcurl accepts 50 cookies of 5,000 bytes in
	 * one response. */
	COOKIES_MAX = 64,
	/* Bytes that one read of the network should return. */
	LOOK_BYTES = 192 * 1024,
};

struct fetcher {
	CURLM *multi;
	CURLSH *cookies;
	const struct http_spec *spec;
	struct reach reach;
	int running;         /* transfers that libcurl has not finished */
	bool fresh; /* a transfer was added since the last fetcher_turn() */
	/* transfers to resume in the next fetcher_turn() */
	struct fetch *resumes[CONNECTIONS_MAX];
	uint64_t turned_ns;  /* time of the last read of the network */
	uint64_t received;   /* bytes received since turned_ns */
	uint64_t pause_ms;   /* pause between two reads of the network */
};

struct fetch {
	struct fetcher *fetcher;
	CURL *easy;
	struct curl_slist *headers;
	/* the request, without its URL, which was borrowed for the call */
	struct fetch_request request;
	unsigned redirects; /* redirects that were followed */
	bool at_home; /* the URL is one of the configured server */
	bool refused; /* the connection to refused_at was not allowed */
	struct ip_address refused_at;
	bool ranged;   /* the request has a range */
	bool begun;    /* the first bytes arrived */
	uint64_t skip; /* bytes before the range, still to skip */
	uint64_t left; /* bytes of the range that are not received yet */
	bool paused;
	bool enough;   /* on_data() returned FETCH_ENOUGH, or all bytes of the
			* range arrived */
	bool packed;   /* the response is compressed, although it is media or
			* has to pause: an error */
	size_t sent;   /* bytes of the body of a POST that were sent */
	struct headers came_with; /* size of the response headers */
	enum fetch_state state;
	CURLcode result; /* result of the transfer, once it has ended */
	long status; /* HTTP status; 0: no response */
	char detail[CURL_ERROR_SIZE]; /* error text of libcurl */
};

struct fetcher *fetcher_new(const struct http_spec *spec, int *ret_err,
			    struct errmsg *error)
{
	struct fetcher *f = xcalloc(1, sizeof *f);

	f->spec = spec;
	f->multi = curl_multi_init();
	f->cookies = curl_share_init();
	if (f->multi != NULL && f->cookies != NULL &&
	    curl_share_setopt(f->cookies, CURLSHOPT_SHARE,
			      CURL_LOCK_DATA_COOKIE) == CURLSHE_OK &&
	    curl_multi_setopt(f->multi, CURLMOPT_MAXCONNECTS,
			      (long)CONNECTIONS_MAX) == CURLM_OK)
		return f;
	*ret_err = errmsg_fail(error, -ENOMEM, "http: libcurl cannot start");
	fetcher_free(&f);
	return NULL;
}

void fetcher_free(struct fetcher **fetcher)
{
	struct fetcher *f = *fetcher;

	*fetcher = NULL;
	if (f == NULL)
		return;
	if (f->multi != NULL)
		(void)curl_multi_cleanup(f->multi);
	if (f->cookies != NULL)
		(void)curl_share_cleanup(f->cookies);
	free(f);
}

/* --- received data --- */

/* The Content-Encoding of the response; NULL: the data is not compressed. */
static const char *coding_of(const struct fetch *f)
{
	struct curl_header *h;

	return curl_easy_header(f->easy, "Content-Encoding", 0, CURLH_HEADER,
				-1, &h) == CURLHE_OK &&
			       strcasecmp(h->value, "identity") != 0
		       ? h->value : NULL;
}

/* The Content-Encoding for an error text; "unknown" if it has characters that
 * no token of RFC 9110 has. */
static const char *coding_name(const struct fetch *f)
{
	const char *coding = coding_of(f);

	return coding != NULL &&
			       coding[strspn(coding, "!#$%&'*+-.^_`|~,; "
				      "0123456789abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0'
		       ? coding : "unknown";
}

/* Takes received bytes.  Returns len if they were taken; any other value makes
 * libcurl pause or fail the transfer. */
static size_t on_bytes(char *data, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;
	size_t len = size * n, head = 0, take = len;
	long status = 0;

	if (!f->begun)
		(void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE,
					&status);
	/* the body of a redirect is dropped */
	if (status / 100 == 3)
		return len;
	if (!f->begun && f->request.is_media && coding_of(f) != NULL) {
		f->packed = true;
		return CURL_WRITEFUNC_ERROR;
	}
	if (f->ranged) {
		/* 206: the response begins with the range.  Otherwise the
		 * server sends the whole resource. */
		if (!f->begun && status == PARTIAL)
			f->skip = 0;
		head = (size_t)MIN(f->skip, (uint64_t)len);
		take = (size_t)MIN(f->left, (uint64_t)(len - head));
	}
	f->begun = true;
	switch (take == 0 ? FETCH_TAKEN
			  : f->request.on_data((const uint8_t *)data + head,
					       take, f->request.arg)) {
	case FETCH_TAKEN:
		break;
	case FETCH_NO_ROOM:
		/* While a compressed transfer is paused, libcurl decompresses
		 * without a limit of memory, so it fails instead. */
		f->packed = f->request.is_text && coding_of(f) != NULL;
		f->paused = !f->packed;
		return f->paused ? CURL_WRITEFUNC_PAUSE : CURL_WRITEFUNC_ERROR;
	case FETCH_ENOUGH:
		f->enough = true;
		return CURL_WRITEFUNC_ERROR;
	}
	f->fetcher->received += len;
	f->skip -= head;
	f->left -= f->ranged ? take : 0;
	f->enough |= f->ranged && head + take < len;
	return f->enough ? CURL_WRITEFUNC_ERROR : len;
}

/* --- sent data --- */

static size_t on_body(char *to, size_t size, size_t n, void *arg)
{
	struct fetch *f = arg;
	const struct fetch_body *b = &f->request.body;
	ssize_t r = pread(b->fd, to, MIN(size * n, b->len - f->sent),
			  (off_t)f->sent);

	if (r < 0)
		return CURL_READFUNC_ABORT;
	f->sent += (size_t)r;
	return (size_t)r;
}

/* Moves the position in the body of a POST: libcurl sends the body again if a
 * server requires a login, or has closed the connection. */
static int on_seek(void *arg, curl_off_t at, int from)
{
	struct fetch *f = arg;

	if (from != SEEK_SET || at < 0 || (size_t)at > f->request.body.len)
		return CURL_SEEKFUNC_FAIL;
	f->sent = (size_t)at;
	return CURL_SEEKFUNC_OK;
}

/* --- request --- */

#define SET(f, option, value) \
	(curl_easy_setopt((f)->easy, CURLOPT_##option, (value)) == CURLE_OK)

/* Opens a socket if `reach' allows the address.  Each connection is judged,
 * because a name may resolve to another address each time. */
static curl_socket_t open_socket(void *arg, curlsocktype purpose,
				 struct curl_sockaddr *to)
{
	struct fetch *f = arg;
	struct sockaddr_any any = { 0 };
	struct ip_address a;

	(void)purpose;
	if (to->addrlen > sizeof any.in6)
		return CURL_SOCKET_BAD;
	memcpy(&any, &to->addr, to->addrlen);
	any.len = to->addrlen;
	a = ip_of(&any);
	if (reach_allows(&f->fetcher->reach, &a, f->at_home) ||
	    f->fetcher->spec->follow == FOLLOW_ANY)
		return socket(to->family, to->socktype | SOCK_CLOEXEC,
			      to->protocol);
	f->refused = true;
	f->refused_at = a;
	return CURL_SOCKET_BAD;
}

static bool set_what(struct fetch *f, const char *at)
{
	const struct http_spec *spec = f->fetcher->spec;
	const struct fetch_request *r = &f->request;
	char range[64], *url = url_at_home(at, spec->url, &f->at_home);
	bool done = url != NULL && SET(f, URL, url) &&
		    SET(f, PROTOCOLS_STR, "http,https") &&
		    SET(f, OPENSOCKETFUNCTION, open_socket) &&
		    SET(f, OPENSOCKETDATA, f) &&
		    SET(f, HTTPAUTH, (long)(CURLAUTH_BASIC | CURLAUTH_DIGEST));

	free(url);
	f->ranged = r->range_len > 0;
	if (f->ranged) {
		f->skip = r->range_at;
		f->left = r->range_len;
		(void)snprintf(range, sizeof range, "%" PRIu64 "-%" PRIu64,
			       r->range_at, r->range_at + r->range_len - 1);
	}
	return done && (!f->ranged || SET(f, RANGE, range)) &&
	       (!r->is_text || SET(f, ACCEPT_ENCODING, "gzip")) &&
	       SET(f, SHARE, f->fetcher->cookies) &&
	       SET(f, COOKIEFILE, "") &&
	       SET(f, USERAGENT, spec->user_agent[0] != '\0'
					 ? spec->user_agent
					 : "Sluice/" PACKAGE_VERSION) &&
	       (!f->at_home || headers_add(&f->headers, spec->headers)) &&
	       SET(f, HTTPHEADER, f->headers) && SET(f, FAILONERROR, 1L);
}

static bool set_body(struct fetch *f)
{
	const struct fetch_body *b = &f->request.body;
	struct curl_slist *more;

	f->sent = 0;
	for (const char *const *h = b->headers; *h != NULL; h++) {
		more = curl_slist_append(f->headers, *h);
		if (more == NULL)
			return false;
		f->headers = more;
	}
	return SET(f, POST, 1L) &&
	       SET(f, POSTFIELDSIZE_LARGE, (curl_off_t)b->len) &&
	       SET(f, READFUNCTION, on_body) && SET(f, READDATA, f) &&
	       SET(f, SEEKFUNCTION, on_seek) && SET(f, SEEKDATA, f) &&
	       SET(f, HTTPHEADER, f->headers);
}

static bool set_how(struct fetch *f)
{
	const struct http_spec *spec = f->fetcher->spec;
	unsigned timeout_s = spec->timeout_s;

	/* Without QUICK_EXIT the end of a transfer waits for a name server that
	 * does not answer, and blocks the stream. */
	return SET(f, SSL_VERIFYPEER, spec->insecure ? 0L : 1L) &&
	       SET(f, SSL_VERIFYHOST, spec->insecure ? 0L : 2L) &&
	       (spec->ca[0] == '\0' || SET(f, CAINFO, spec->ca)) &&
	       SET(f, NOSIGNAL, 1L) && SET(f, QUICK_EXIT, 1L) &&
	       SET(f, NOPROXY, "*") &&
	       SET(f, CONNECTTIMEOUT, (long)timeout_s) &&
	       SET(f, LOW_SPEED_LIMIT, 1L) &&
	       SET(f, LOW_SPEED_TIME, (long)timeout_s) &&
	       SET(f, TIMEOUT, (long)f->request.limit_s) &&
	       SET(f, BUFFERSIZE, (long)RECEIVE_BUFFER) &&
	       SET(f, TCP_KEEPALIVE, 1L) &&
	       SET(f, ERRORBUFFER, f->detail) &&
	       SET(f, WRITEFUNCTION, on_bytes) && SET(f, WRITEDATA, f) &&
	       headers_watch(&f->came_with, f->easy) && names_watch(f->easy) &&
	       SET(f, PRIVATE, f);
}

/* Starts a transfer of the URL.  False with f->detail: it cannot be
 * requested. */
static bool begin(struct fetch *f, const char *url)
{
	f->easy = curl_easy_init();
	if (f->easy == NULL || !set_what(f, url) || !set_how(f) ||
	    (f->request.body.len > 0 && !set_body(f)) ||
	    curl_multi_add_handle(f->fetcher->multi, f->easy) != CURLM_OK)
		return false;
	f->fetcher->fresh = true;
	return true;
}

static void drop(struct fetch *f)
{
	if (f->easy != NULL) {
		(void)curl_multi_remove_handle(f->fetcher->multi, f->easy);
		curl_easy_cleanup(f->easy);
	}
	f->easy = NULL;
	curl_slist_free_all(f->headers);
	f->headers = NULL;
}

struct fetch *fetch_new(struct fetcher *fetcher,
			const struct fetch_request *request, int *ret_err,
			struct errmsg *error)
{
	struct fetch *f = xcalloc(1, sizeof *f);

	f->fetcher = fetcher;
	f->request = *request;
	f->request.url = NULL;
	if (begin(f, request->url))
		return f;
	*ret_err = errmsg_fail(error, -EINVAL, "http: cannot be requested: %s",
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
	for (size_t i = 0; i < CONNECTIONS_MAX; i++)
		if (f->fetcher->resumes[i] == f)
			f->fetcher->resumes[i] = NULL;
	drop(f);
	free(f);
}

/* --- transfers --- */

/*
 * Follows a redirect with a new request.  libcurl does not follow it, because
 * it would send the configured headers to every server.  False: the response
 * is no redirect, or the redirect is not allowed (*result is the error).
 */
static bool follow(struct fetch *f, CURLcode *result)
{
	char *url = NULL;
	bool began;

	if (*result != CURLE_OK ||
	    curl_easy_getinfo(f->easy, CURLINFO_REDIRECT_URL, &url) !=
		    CURLE_OK || url == NULL)
		return false;
	if (f->request.body.len > 0) {
		*result = CURLE_HTTP_RETURNED_ERROR;
		return false;
	}
	if (++f->redirects > REDIRECTS_MAX) {
		*result = CURLE_TOO_MANY_REDIRECTS;
		return false;
	}
	url = xstrdup(url);
	drop(f);
	began = begin(f, url);
	free(url);
	if (!began)
		*result = CURLE_URL_MALFORMAT;
	return began;
}

/* Logs if the file of ca= was created or replaced after the start of this
 * process, so that libcurl could not read it, or read the older one. */
static void look_for_ca(const struct fetch *f)
{
	const char *ca = f->fetcher->spec->ca;

	if ((f->result == CURLE_SSL_CACERT_BADFILE ||
	     f->result == CURLE_PEER_FAILED_VERIFICATION) &&
	    ca[0] != '\0' && hidden_by_sandbox(ca) && !hidden_waits())
		log_info("worker", "%s was created or replaced after the start "
			 "of this worker: a new worker will read it", ca);
}

static void note_end(struct fetch *f, CURLcode result)
{
	bool is_short = f->ranged && f->left > 0 && !f->enough;
	struct curl_slist *cookies = NULL;
	size_t n = 0;

	if (follow(f, &result))
		return;
	f->result = result;
	if (f->enough || (result == CURLE_OK && !is_short))
		f->state = FETCH_DONE;
	else
		f->state = FETCH_FAILED;
	if (result == CURLE_OK && is_short)
		f->result = CURLE_PARTIAL_FILE;
	look_for_ca(f);
	(void)curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &f->status);
	(void)curl_easy_getinfo(f->easy, CURLINFO_COOKIELIST, &cookies);
	for (const struct curl_slist *l = cookies; l != NULL; l = l->next)
		n++;
	curl_slist_free_all(cookies);
	if (n > COOKIES_MAX)
		(void)SET(f, COOKIELIST, "ALL");
}

void fetcher_turn(struct fetcher *fetcher, uint64_t now_ns,
		  uint64_t waiting_ns)
{
	uint64_t passed_ns = now_ns - fetcher->turned_ns;
	uint64_t pause_ns = MIN(fetcher->pause_ms * MS, waiting_ns / 4);
	uint64_t ms = FETCHER_EASY_MS;
	bool buffered = waiting_ns > FETCHER_ENOUGH_MS * MS;
	struct fetch *f;
	int left;
	CURLMsg *m;

	if (!fetcher->fresh && (fetcher->running == 0 ||
				(buffered && passed_ns < pause_ns)))
		return;
	fetcher->turned_ns = now_ns;
	fetcher->fresh = false;
	for (size_t i = 0; i < CONNECTIONS_MAX; i++) {
		f = fetcher->resumes[i];
		fetcher->resumes[i] = NULL;
		if (f == NULL)
			continue;
		f->paused = false;
		(void)curl_easy_pause(f->easy, CURLPAUSE_CONT);
	}
	(void)curl_multi_perform(fetcher->multi, &fetcher->running);
	/* The next pause is the time in which LOOK_BYTES arrive at this rate.
	 * It grows by a factor of two at most, because the kernel enlarges the
	 * receive buffer slowly. */
	if (fetcher->received > 0)
		ms = MIN(passed_ns / MS * LOOK_BYTES / fetcher->received,
			 2 * fetcher->pause_ms);
	fetcher->pause_ms = MIN(MAX(ms, (uint64_t)FETCHER_EASY_MS),
				(uint64_t)FETCHER_LAZY_MS);
	fetcher->received = 0;
	while ((m = curl_multi_info_read(fetcher->multi, &left)) != NULL) {
		if (m->msg != CURLMSG_DONE)
			continue;
		if (curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE,
				      (char **)&f) == CURLE_OK)
			note_end(f, m->data.result);
	}
}

void fetch_resume(struct fetch *f)
{
	struct fetch **slots = f->fetcher->resumes;
	size_t i = 0;

	while (i < CONNECTIONS_MAX && slots[i] != NULL && slots[i] != f)
		i++;
	if (f->paused && i < CONNECTIONS_MAX)
		slots[i] = f;
}

bool fetch_is_paused(const struct fetch *f)
{
	return f->paused;
}

enum fetch_state fetch_state(const struct fetch *f)
{
	return f->state;
}

int fetch_error(const struct fetch *f, struct errmsg *error)
{
	int r = headers_check(&f->came_with, error);
	char text[IP_TEXT_MAX];
	struct errmsg why;

	if (r < 0)
		return r;
	if (f->packed)
		return errmsg_fail(error, -ENOTSUP,
				   "compressed streams are not supported: the "
				   "server sends Content-Encoding: %.32s",
				   coding_name(f));
	if (f->result == CURLE_HTTP_RETURNED_ERROR)
		return errmsg_fail(error, -EREMOTEIO,
				   "the server answers %ld", f->status);
	ip_format(&f->refused_at, text);
	if (f->refused && f->result == CURLE_COULDNT_CONNECT)
		return errmsg_fail(error, -EACCES,
				   "the server redirects or links to %s, which "
				   "is neither its own address nor public: "
				   "follow=any allows it", text);
	if (f->result == CURLE_UNSUPPORTED_PROTOCOL && f->redirects > 0)
		return errmsg_fail(error, -EPROTONOSUPPORT,
				   "the server redirects to %s: only http and "
				   "https are allowed", fetch_url(f));
	transfer_error(f->easy, f->result, f->detail, &why);
	return errmsg_fail(error, f->result == CURLE_OPERATION_TIMEDOUT
					  ? -ETIMEDOUT : -EREMOTEIO,
			   "http: %s", why.text);
}

const char *fetch_url(const struct fetch *f)
{
	const char *url = NULL;

	(void)curl_easy_getinfo(f->easy, CURLINFO_EFFECTIVE_URL, &url);
	return url != NULL ? url : "";
}

const char *fetch_content_type(const struct fetch *f)
{
	const char *type = NULL;

	(void)curl_easy_getinfo(f->easy, CURLINFO_CONTENT_TYPE, &type);
	return type != NULL ? type : "";
}

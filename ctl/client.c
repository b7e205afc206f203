/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/client.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CONNECT_S = 5 };

struct client {
	const struct settings *settings;
	char *session; /* session id; NULL: not logged in */
	CURL *easy;    /* of client_call(); reused, so that its connection stays
			* open */
	/* the request in the background; NULL: none */
	struct exchange *background;
	CURLM *multi;  /* runs this request; NULL: not needed yet */
	CURL *later;   /* handle of the requests in the background */
	CURLcode result; /* of the request in the background, when it has
			  * ended */
	bool has_ended;
};

/* A request in progress. */
struct exchange {
	struct client_reply reply;
	struct curl_slist *headers;
	char *url;
	bool too_big; /* the body exceeded CLIENT_REPLY_MAX */
};

struct client *client_new(const struct settings *settings)
{
	struct client *c = xcalloc(1, sizeof *c);

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		abort();
	c->settings = settings;
	c->easy = curl_easy_init();
	if (c->easy == NULL)
		abort();
	return c;
}

void client_set_session(struct client *c, const char *session)
{
	char *copy = xstrdup(session);

	free(c->session);
	c->session = copy;
}

const char *client_session(const struct client *c)
{
	return c->session;
}

void client_reply_done(struct client_reply *reply)
{
	buf_done(&reply->body);
	*reply = (struct client_reply){ 0 };
}

static void exchange_done(struct exchange *x)
{
	client_reply_done(&x->reply);
	curl_slist_free_all(x->headers);
	free(x->url);
}

static void drop_background(struct client *c)
{
	if (c->background == NULL)
		return;
	curl_multi_remove_handle(c->multi, c->later);
	exchange_done(c->background);
	free(c->background);
	c->background = NULL;
}

void client_free(struct client **client)
{
	struct client *c = *client;

	if (c == NULL)
		return;
	drop_background(c);
	if (c->multi != NULL) {
		curl_easy_cleanup(c->later);
		curl_multi_cleanup(c->multi);
	}
	curl_easy_cleanup(c->easy);
	curl_global_cleanup();
	free(c->session);
	free(c);
	*client = NULL;
}

/* --- callbacks of libcurl --- */

static size_t take_body(char *data, size_t size, size_t n, void *arg)
{
	struct exchange *x = arg;
	size_t len = size * n;

	x->too_big = len > CLIENT_REPLY_MAX - buf_len(&x->reply.body);
	if (x->too_big)
		return 0; /* makes libcurl abort the transfer */
	buf_append(&x->reply.body, data, len);
	return len;
}

/* Stores the session id of a header "Set-Cookie: svc_session=...;". */
static size_t take_header(char *data, size_t size, size_t n, void *arg)
{
	static const char name[] = "set-cookie: svc_session=";
	const size_t at = sizeof name - 1;
	struct exchange *x = arg;
	size_t len = size * n;

	if (len > at + CLIENT_SESSION_LEN &&
	    strncasecmp(data, name, at) == 0 &&
	    data[at + CLIENT_SESSION_LEN] == ';' &&
	    memchr(data + at, ';', CLIENT_SESSION_LEN) == NULL)
		memcpy(x->reply.session, data + at, CLIENT_SESSION_LEN);
	return len;
}

/* --- error sentences --- */

/* Returns -ETIMEDOUT.  The error says whether the time-out expired before the
 * connection, including TLS, was ready, or while the client waited for the
 * reply. */
static int explain_time(const struct client *c, CURL *easy,
                        struct errmsg *error)
{
	curl_off_t connected = 0;

	(void)curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T,
				&connected);
	if (connected == 0)
		return errmsg_fail(
			error, -ETIMEDOUT,
			"%s: no connection within "
			"%u s; does the host run?",
			c->settings->url,
			MIN(c->settings->timeout_s, (unsigned)CONNECT_S));
	return errmsg_fail(error, -ETIMEDOUT, "%s: no answer within %u s; see "
			   "--timeout", c->settings->url,
			   c->settings->timeout_s);
}

static int explain(const struct client *c, CURL *easy, CURLcode code,
		   bool too_big, struct errmsg *error)
{
	const char *url = c->settings->url;

	switch (code) {
	case CURLE_COULDNT_RESOLVE_HOST:
		return errmsg_fail(error, -EHOSTUNREACH, "%s: unknown host "
				   "name", url);
	case CURLE_COULDNT_CONNECT:
		return errmsg_fail(error, -ECONNREFUSED, "%s: no connection; "
				   "does the service run, and is this its "
				   "address?", url);
	case CURLE_OPERATION_TIMEDOUT:
		return explain_time(c, easy, error);
	case CURLE_PEER_FAILED_VERIFICATION:
		return errmsg_fail(error, -EACCES, "%s: its certificate is not "
				   "trusted; name its authority by --cacert "
				   "FILE", url);
	case CURLE_SSL_CACERT_BADFILE:
		return errmsg_fail(error, -EINVAL, "--cacert: %s contains no "
				   "certificates", c->settings->cacert
				   ? c->settings->cacert : "the system's");
	case CURLE_SSL_CONNECT_ERROR:
		return errmsg_fail(error, -EPROTO,
		                   "%s: the server does not use "
		                   "TLS; is it http://?",
		                   url);
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
		return errmsg_fail(error, -EPROTO, "%s: the connection was "
				   "closed without an answer; is it "
				   "https://?", url);
	default:
		break;
	}
	if (too_big)
		return errmsg_fail(error, -EFBIG, "%s: the answer is larger "
				   "than %d MiB", url,
				   CLIENT_REPLY_MAX / 1024 / 1024);
	return errmsg_fail(error, -EPROTO, "%s: %s", url,
			   curl_easy_strerror(code));
}

/* --- requests --- */

static void set_common(const struct client *c, CURL *easy)
{
	const struct settings *s = c->settings;

	curl_easy_reset(easy);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
			 (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT, (long)s->timeout_s);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, s->insecure ? 0L : 1L);
	curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, s->insecure ? 0L : 2L);
	if (s->cacert != NULL)
		curl_easy_setopt(easy, CURLOPT_CAINFO, s->cacert);
}

static void add_header(struct exchange *x, const char *text)
{
	struct curl_slist *longer = curl_slist_append(x->headers, text);

	if (longer == NULL)
		abort();
	x->headers = longer;
}

static void prepare(const struct client *c, CURL *easy, struct exchange *x,
		    const char *path, const char *body)
{
	set_common(c, easy);
	x->url = xasprintf("%s%s", c->settings->url, path);
	curl_easy_setopt(easy, CURLOPT_URL, x->url);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, x);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, x);
	if (body != NULL) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)strlen(body));
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
		add_header(x, "Content-Type: application/json");
		add_header(
			x,
			"Expect:"); /* do not wait for status 100 before the
				     * body */
	}
	if (c->session != NULL) {
		char *text = xasprintf("Authorization: Bearer %s", c->session);

		add_header(x, text);
		free(text);
	}
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, x->headers);
}

int client_call(struct client *c, const char *path, const char *body,
		struct client_reply *ret, struct errmsg *error)
{
	struct exchange x = { 0 };
	CURLcode code;
	int r = 0;

	prepare(c, c->easy, &x, path, body);
	code = curl_easy_perform(c->easy);
	if (code != CURLE_OK) {
		r = explain(c, c->easy, code, x.too_big, error);
	} else {
		(void)curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE,
					&x.reply.status);
		*ret = x.reply;
		x.reply = (struct client_reply){ 0 };
	}
	exchange_done(&x);
	return r;
}

/* --- in the background --- */

static void need_multi(struct client *c)
{
	if (c->multi != NULL)
		return;
	c->multi = curl_multi_init();
	c->later = curl_easy_init();
	if (c->multi == NULL || c->later == NULL)
		abort();
}

void client_begin(struct client *c, const char *path)
{
	drop_background(c);
	need_multi(c);
	c->background = xcalloc(1, sizeof *c->background);
	c->has_ended = false;
	prepare(c, c->later, c->background, path, NULL);
	curl_multi_add_handle(c->multi, c->later);
}

bool client_is_busy(const struct client *c)
{
	return c->background != NULL;
}

bool client_wait(struct client *c, int fd, uint64_t until_ms)
{
	struct curl_waitfd more = { .fd = fd, .events = CURL_WAIT_POLLIN };
	CURLMsg *message;
	int running, left;
	uint64_t now_ms;

	need_multi(c);
	do {
		if (c->background != NULL)
			(void)curl_multi_perform(c->multi, &running);
		while (c->background != NULL &&
		       (message = curl_multi_info_read(c->multi, &left)) !=
			       NULL) {
			if (message->msg != CURLMSG_DONE)
				continue;
			c->has_ended = true;
			c->result = message->data.result;
		}
		if (c->background != NULL && c->has_ended)
			return true;
		now_ms = mono_ms();
		if (now_ms >= until_ms)
			return false;
		(void)curl_multi_poll(c->multi, &more, fd >= 0 ? 1 : 0,
				      (int)MIN(until_ms - now_ms, 1000U), NULL);
	} while (more.revents == 0);
	return false;
}

int client_end(struct client *c, struct client_reply *ret,
	       struct errmsg *error)
{
	struct exchange *x = c->background;
	int r = 0;

	if (x == NULL || !c->has_ended) {
		drop_background(c);
		return -EAGAIN;
	}
	if (c->result != CURLE_OK) {
		r = explain(c, c->later, c->result, x->too_big, error);
	} else {
		(void)curl_easy_getinfo(c->later, CURLINFO_RESPONSE_CODE,
					&x->reply.status);
		*ret = x->reply;
		x->reply = (struct client_reply){ 0 };
	}
	drop_background(c);
	return r;
}

void *client_connect(struct client *c, struct errmsg *error)
{
	CURL *easy = curl_easy_init();
	CURLcode code;

	if (easy == NULL)
		abort();
	set_common(c, easy);
	curl_easy_setopt(easy, CURLOPT_URL, c->settings->url);
	curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
	code = curl_easy_perform(easy);
	if (code != CURLE_OK) {
		(void)explain(c, easy, code, false, error);
		curl_easy_cleanup(easy);
		return NULL;
	}
	return easy;
}

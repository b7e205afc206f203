/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_request.h"

#include "common/base/alloc.h"
#include "proto/wire/http_guard.h"
#include "proto/wire/http_target.h"

#include <llhttp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KEEP = 4096 }; /* memory kept between two requests */

enum phase { PHASE_HEAD, PHASE_BODY, PHASE_COMPLETE, PHASE_FAILED };

struct http_request {
	size_t head_max;
	size_t body_max;
	enum phase phase;
	struct http_guard guard;
	llhttp_t parser;
	struct buf head; /* its bytes; target, path, query and headers point
			  * into them */
	struct buf body;
	int status;
	const char *reason;
	char *target;
	size_t target_len;
	const char *path;
	const char *query;
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t n_headers;
	unsigned minor;
	bool keep_alive;
	bool has_body;
	uint64_t length; /* Content-Length */
	bool chunked;
	bool ended; /* the parser has reached the end of the body */
	bool bad_trailer;
	char trailer[32]; /* begin of the name of the trailer field that is
			   * being parsed */
	size_t trailer_len;
};

static enum http_state fail(struct http_request *r, int status,
			    const char *reason)
{
	r->phase = PHASE_FAILED;
	r->status = status;
	r->reason = reason;
	return HTTP_FAILED;
}

/* Returns a writable pointer to the place `at' in r->head.  The parser got the
 * head in one piece, so each of its texts is contiguous in r->head. */
static char *own(struct http_request *r, const char *at)
{
	uint8_t *head = buf_head(&r->head);

	return (char *)head + (at - (const char *)head);
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
	struct http_request *r = parser->data;

	r->target = own(r, at);
	r->target_len = len;
	return 0;
}

/* Called after the name of each field; only names of trailer fields are stored
 * in r->trailer.  Trailer fields are dropped; a name that belongs to framing or
 * routing makes the request fail (RFC 9110 6.5.1). */
static int on_header_field_complete(llhttp_t *parser)
{
	static const char *const banned[] = { "content-length", "host",
					      "transfer-encoding" };
	struct http_request *r = parser->data;

	r->trailer[r->trailer_len] = '\0';
	r->trailer_len = 0;
	for (size_t i = 0; i < ARRAY_LEN(banned); i++)
		if (strcasecmp(r->trailer, banned[i]) == 0)
			r->bad_trailer = true;
	return 0;
}

static int on_header_field(llhttp_t *parser, const char *at, size_t len)
{
	struct http_request *r = parser->data;

	if (r->phase != PHASE_HEAD) {
		/* the name of a trailer may arrive in pieces */
		size_t room = sizeof r->trailer - 1 - r->trailer_len;

		/* the rest of a longer name is cut: no banned name is that
		 * long */
		memcpy(r->trailer + r->trailer_len, at, MIN(len, room));
		r->trailer_len += MIN(len, room);
		return 0;
	}
	if (r->n_headers == HTTP_HEADERS_MAX)
		return HPE_USER;
	r->headers[r->n_headers++].name = own(r, at);
	return 0;
}

static int on_headers_complete(llhttp_t *parser)
{
	(void)parser;
	return HPE_PAUSED;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
	struct http_request *r = parser->data;

	if (len > r->body_max - buf_len(&r->body))
		return HPE_USER;
	buf_append(&r->body, at, len);
	return 0;
}

static int on_message_complete(llhttp_t *parser)
{
	struct http_request *r = parser->data;

	r->ended = true;
	return HPE_PAUSED;
}

static const llhttp_settings_t callbacks = {
	.on_url = on_url,
	.on_header_field = on_header_field,
	.on_header_field_complete = on_header_field_complete,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_message_complete,
};

struct http_request *http_request_new(size_t body_max)
{
	struct http_request *r = xcalloc(1, sizeof *r);

	r->head_max = HTTP_HEAD_MAX;
	r->body_max = body_max;
	http_request_reset(r);
	return r;
}

void http_request_set_head_max(struct http_request *r, size_t max)
{
	r->head_max = max;
	http_guard_head(&r->guard, max);
}

/* Wipes the memory of the head and of a small body, which may have a
 * credential. */
static void wipe(struct http_request *r)
{
	buf_wipe(&r->head, HTTP_HEAD_MAX);
	buf_wipe(&r->body, HTTP_HEAD_MAX);
}

void http_request_free(struct http_request **request)
{
	struct http_request *r = *request;

	if (!r)
		return;
	wipe(r);
	buf_done(&r->head);
	buf_done(&r->body);
	free(r);
	*request = NULL;
}

void http_request_reset(struct http_request *r)
{
	wipe(r);

	struct http_request fresh = {
		.head_max = r->head_max,
		.body_max = r->body_max,
		.head = r->head,
		.body = r->body,
	};

	buf_reset(&fresh.head, KEEP);
	buf_reset(&fresh.body, KEEP);
	*r = fresh;
	http_guard_head(&r->guard, r->head_max);
	llhttp_init(&r->parser, HTTP_REQUEST, &callbacks);
	r->parser.data = r;
}

/* Ends each name and value of the head with a NUL.  The guard has checked the
 * colon and the CR of each field. */
static void terminate_headers(struct http_request *r)
{
	for (size_t i = 0; i < r->n_headers; i++) {
		char *name = own(r, r->headers[i].name);
		char *value = strchr(name, ':');
		char *end = strchr(value, '\r');

		for (char *p = name; p < value; p++)
			if (*p >= 'A' && *p <= 'Z')
				*p = (char)(*p + ('a' - 'A'));
		*value++ = '\0';
		value += strspn(value, " \t");
		while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		*end = '\0';
		r->headers[i].value = value;
	}
}

static enum http_state judge_head(struct http_request *r)
{
	llhttp_t *p = &r->parser;

	if (r->guard.chunked) {
		r->has_body = r->chunked = true;
		http_guard_chunks(&r->guard, r->body_max);
	} else if (p->flags & F_CONTENT_LENGTH) {
		r->has_body = p->content_length > 0;
		r->length = p->content_length;
		if (p->content_length > r->body_max)
			return fail(r, 413, "body too large");
	}
	if (p->flags & F_CONNECTION_CLOSE)
		r->keep_alive = false;
	else
		r->keep_alive = r->minor >= 1 ||
				(p->flags & F_CONNECTION_KEEP_ALIVE);
	r->phase = r->has_body ? PHASE_BODY : PHASE_COMPLETE;
	return HTTP_HAVE_HEAD;
}

static enum http_state parse_head(struct http_request *r)
{
	char *head = (char *)buf_head(&r->head);
	size_t len = buf_len(&r->head);
	llhttp_errno_t err;
	const char *error;

	if (!http_guard_judge(&r->guard, head, len))
		return fail(r, r->guard.status, r->guard.reason);
	r->minor = r->guard.minor;
	err = llhttp_execute(&r->parser, head, len);
	if (err != HPE_PAUSED)
		return fail(r, err == HPE_INVALID_METHOD ? 501 : 400,
			    llhttp_get_error_reason(&r->parser));
	if (llhttp_get_error_pos(&r->parser) != head + len ||
	    r->n_headers != r->guard.fields || !r->target)
		return fail(r, 400, "two readings of the head");
	if (r->parser.method == HTTP_CONNECT)
		return fail(r, 501, "CONNECT");
	/* the NUL replaces the blank behind the target */
	r->target[r->target_len] = '\0';
	error = http_target_read(r->target, r->parser.method == HTTP_OPTIONS,
			       &r->path, &r->query);
	if (error)
		return fail(r, 400, error);
	terminate_headers(r);
	return judge_head(r);
}

static enum http_state feed_body(struct http_request *r, struct buf *in)
{
	size_t n = buf_len(in), used;
	const char *text;
	llhttp_errno_t err;

	if (n == 0)
		return HTTP_MORE;
	if (r->chunked)
		n = http_guard_feed(&r->guard, buf_head(in), n);
	text = (const char *)buf_head(in);
	if (llhttp_get_errno(&r->parser) == HPE_PAUSED)
		llhttp_resume(&r->parser);
	err = llhttp_execute(&r->parser, text, n);
	/* a protocol switch before the end of a body is not supported */
	if (err == HPE_PAUSED_UPGRADE)
		err = HPE_PAUSED;
	used = err == HPE_OK ? n
		: (size_t)(llhttp_get_error_pos(&r->parser) - text);
	if (err == HPE_USER)
		return fail(r, 413, "body too large");
	if (err != HPE_OK && err != HPE_PAUSED)
		return fail(r, 400, llhttp_get_error_reason(&r->parser));
	buf_take(in, used);
	if (r->guard.state == GUARD_REFUSED)
		return fail(r, r->guard.status, r->guard.reason);
	if (r->bad_trailer)
		return fail(r, 400, "framing field in the trailers");
	if (r->chunked && r->ended != (r->guard.state == GUARD_DONE))
		return fail(r, 400, "two readings of the body");
	if (!r->ended)
		return HTTP_MORE;
	r->phase = PHASE_COMPLETE;
	return HTTP_COMPLETE;
}

enum http_state http_request_feed(struct http_request *r, struct buf *in)
{
	size_t used;

	switch (r->phase) {
	case PHASE_HEAD:
		if (buf_len(in) == 0)
			return HTTP_MORE;
		used = http_guard_feed(&r->guard, buf_head(in), buf_len(in));
		buf_append(&r->head, buf_head(in), used);
		buf_take(in, used);
		if (r->guard.state == GUARD_REFUSED)
			return fail(r, r->guard.status, r->guard.reason);
		if (r->guard.state != GUARD_DONE)
			return HTTP_MORE;
		/* a NUL behind the head, for strchr() */
		*buf_reserve(&r->head, 1) = '\0';
		return parse_head(r);
	case PHASE_BODY:
		return feed_body(r, in);
	case PHASE_COMPLETE:
		return HTTP_COMPLETE;
	default:
		return HTTP_FAILED;
	}
}

int http_request_status(const struct http_request *r)
{
	return r->status;
}

const char *http_request_reason(const struct http_request *r)
{
	return r->reason ? r->reason : "";
}

bool http_request_begun(const struct http_request *r)
{
	return r->phase != PHASE_HEAD || buf_len(&r->head) > 0;
}

const char *http_request_method(const struct http_request *r)
{
	return llhttp_method_name((llhttp_method_t)r->parser.method);
}

const char *http_request_path(const struct http_request *r)
{
	return r->path;
}

const char *http_request_query(const struct http_request *r)
{
	return r->query;
}

bool http_request_query_get(const struct http_request *r, const char *key,
			    char *text, size_t size)
{
	return http_query_get(r->query, key, text, size);
}

const char *http_request_header(const struct http_request *r, const char *name)
{
	for (size_t i = 0; i < r->n_headers; i++)
		if (strcmp(r->headers[i].name, name) == 0)
			return r->headers[i].value;
	return NULL;
}

unsigned http_request_minor(const struct http_request *r)
{
	return r->minor;
}

bool http_request_keep_alive(const struct http_request *r)
{
	return r->keep_alive;
}

bool http_request_has_body(const struct http_request *r)
{
	return r->has_body && r->phase != PHASE_COMPLETE;
}

uint64_t http_request_length(const struct http_request *r)
{
	return r->has_body && !r->chunked ? r->length : 0;
}

const uint8_t *http_request_body(const struct http_request *r, size_t *ret_len)
{
	*ret_len = buf_len(&r->body);
	return *ret_len ? buf_head(&r->body) : (const uint8_t *)"";
}

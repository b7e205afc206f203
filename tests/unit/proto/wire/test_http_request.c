/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/http_request.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { BODY_MAX = 1000 };

/* Feeds text in pieces of step bytes until the request ends; head: the end
 * of the head was reported. */
static enum http_state feed(struct http_request *r, const char *text,
			    size_t len, size_t step, struct buf *rest,
			    bool *head)
{
	enum http_state state = HTTP_MORE;
	size_t at = 0;

	*head = false;
	while (state == HTTP_MORE && (at < len || buf_len(rest) > 0)) {
		size_t n = MIN(step, len - at);
		size_t before;

		buf_append(rest, text + at, n);
		at += n;
		before = buf_len(rest);
		state = http_request_feed(r, rest);
		if (state == HTTP_HAVE_HEAD) {
			cr_assert(!*head, "the head was reported twice");
			*head = true;
			state = http_request_feed(r, rest);
		}
		if (at == len && buf_len(rest) == before)
			break;
	}
	buf_append(rest, text + at, len - at);
	return state;
}

struct outcome {
	enum http_state state;
	bool head;
	int status;
	size_t rest;
	char body[BODY_MAX];
	size_t body_len;
};

static struct outcome run(const char *text, size_t len, size_t step)
{
	struct http_request *r = http_request_new(BODY_MAX);
	struct buf rest = { 0 };
	struct outcome o = { 0 };
	const uint8_t *body;

	o.state = feed(r, text, len, step, &rest, &o.head);
	o.status = http_request_status(r);
	if (o.state == HTTP_COMPLETE) {
		body = http_request_body(r, &o.body_len);
		memcpy(o.body, body, o.body_len);
		o.rest = buf_len(&rest);
	}
	http_request_free(&r);
	cr_assert_null(r);
	buf_done(&rest);
	return o;
}

/* The same outcome whatever the pieces. */
static struct outcome judge(const char *text, size_t len)
{
	struct outcome whole = run(text, len, len);

	for (size_t step = 1; step < MIN(len, 8); step++) {
		struct outcome o = run(text, len, step);

		cr_assert_eq(o.state, whole.state, "step %zu of: %s", step,
			     text);
		cr_assert_eq(o.status, whole.status, "step %zu of: %s", step,
			     text);
		cr_assert_eq(o.body_len, whole.body_len);
		cr_assert_eq(memcmp(o.body, whole.body, o.body_len), 0);
		cr_assert_eq(o.rest, whole.rest);
	}
	return whole;
}

struct vector {
	const char *what;
	const char *text;
	int status;
	size_t len; /* when text holds NUL */
};

#define H "Host: a\r\n"

/* Requests that lenient parsers accept, and our result. */
static const struct vector refused[] = {
	{ "negative length",
	  "POST / HTTP/1.1\r\n" H "Content-Length: -5\r\n\r\nhello", 400, 0 },
	{ "length beside coding",
	  "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n"
	  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "coding beside length",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n"
	  "Content-Length: 5\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "two lengths",
	  "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n"
	  "Content-Length: 6\r\n\r\nhello!", 400, 0 },
	{ "the same length twice",
	  "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n"
	  "Content-Length: 5\r\n\r\nhello", 400, 0 },
	{ "a list of lengths",
	  "POST / HTTP/1.1\r\n" H "Content-Length: 5, 5\r\n\r\nhello", 400, 0 },
	{ "length with a sign",
	  "POST / HTTP/1.1\r\n" H "Content-Length: +5\r\n\r\nhello", 400, 0 },
	{ "hexadecimal length",
	  "POST / HTTP/1.1\r\n" H "Content-Length: 0x5\r\n\r\nhello", 400, 0 },
	{ "empty length",
	  "POST / HTTP/1.1\r\n" H "Content-Length:\r\n\r\nhello", 400, 0 },
	{ "length beyond 64 bits",
	  "POST / HTTP/1.1\r\n" H "Content-Length: 18446744073709551617\r\n"
	  "\r\nhello", 400, 0 },
	{ "blank before the colon",
	  "POST / HTTP/1.1\r\n" H "Content-Length : 5\r\n\r\nhello", 400, 0 },
	{ "folded line",
	  "GET / HTTP/1.1\r\n" H "X: a\r\n b\r\n\r\n", 400, 0 },
	{ "folded line, tab",
	  "GET / HTTP/1.1\r\n" H "X: a\r\n\tb\r\n\r\n", 400, 0 },
	{ "blank before the first field",
	  "GET / HTTP/1.1\r\n X: a\r\n" H "\r\n", 400, 0 },
	{ "bare CR after an empty value",
	  "POST / HTTP/1.1\r\n" H "X:\rTransfer-Encoding: chunked\r\n\r\n"
	  "0\r\n\r\n", 400, 0 },
	{ "bare CR in a value",
	  "GET / HTTP/1.1\r\n" H "X: a\rb\r\n\r\n", 400, 0 },
	{ "CR that does not end the head",
	  "GET / HTTP/1.1\r\n" H "\r\rGET /b HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "bare LF lines", "GET / HTTP/1.1\nHost: a\n\n", 400, 0 },
	{ "bare LF at the end", "GET / HTTP/1.1\r\n" H "\n", 400, 0 },
	{ "last chunk with bare LF",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\n\r\n",
	  400, 0 },
	{ "unknown coding",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: xchunked\r\n\r\n"
	  "0\r\n\r\n", 501, 0 },
	{ "coding in front of chunked",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n"
	  "0\r\n\r\n", 501, 0 },
	{ "chunked twice",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n"
	  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, 0 },
	{ "coding with a control byte",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: \x0b" "chunked\r\n\r\n"
	  "0\r\n\r\n", 400, 0 },
	{ "empty coding",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding:\r\n\r\n", 400, 0 },
	{ "coding in HTTP/1.0",
	  "POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "0\r\n\r\n", 400, 0 },
	{ "chunk size beyond 64 bits",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "10000000000000001\r\nx\r\n0\r\n\r\n", 400, 0 },
	{ "control byte in a value",
	  "GET / HTTP/1.1\r\n" H "X: a\x01" "b\r\n\r\n", 400, 0 },
	{ "DEL in a value",
	  "GET / HTTP/1.1\r\n" H "X: a\x7f" "b\r\n\r\n", 400, 0 },
	{ "NUL in a value",
	  "GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n", 400, 36 },
	{ "no Host", "GET / HTTP/1.1\r\nX: a\r\n\r\n", 400, 0 },
	{ "two Host", "GET / HTTP/1.1\r\n" H H "\r\n", 400, 0 },
	{ "two Host in HTTP/1.0", "GET / HTTP/1.0\r\n" H H "\r\n", 400, 0 },
	{ "Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, 0 },
	{ "Host with a user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400, 0 },
	{ "blank in the target", "GET /a b HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "two blanks", "GET  / HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "tab for a blank", "GET\t/ HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "control byte in the target",
	  "GET /\x01 HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "blank at the end of the request line",
	  "GET / HTTP/1.1 \r\n" H "\r\n", 400, 0 },
	{ "HTTP/0.9", "GET /\r\n\r\n", 400, 0 },
	{ "HTTP/0.9 by name", "GET / HTTP/0.9\r\n" H "\r\n", 505, 0 },
	{ "HTTP/1.2", "GET / HTTP/1.2\r\n" H "\r\n", 505, 0 },
	{ "HTTP/2.0", "GET / HTTP/2.0\r\n" H "\r\n", 505, 0 },
	{ "preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, 0 },
	{ "version of two digits", "GET / HTTP/1.10\r\n" H "\r\n", 400, 0 },
	{ "lower case version", "GET / http/1.1\r\n" H "\r\n", 400, 0 },
	{ "another protocol", "OPTIONS / RTSP/1.0\r\n\r\n", 400, 0 },
	{ "unknown method", "BREW / HTTP/1.1\r\n" H "\r\n", 501, 0 },
	{ "lower case method", "get / HTTP/1.1\r\n" H "\r\n", 501, 0 },
	{ "CONNECT", "CONNECT a:80 HTTP/1.1\r\n" H "\r\n", 501, 0 },
	{ "TLS", "\x16\x03\x01\x02", 400, 0 },
	{ "field without a colon", "GET / HTTP/1.1\r\n" H "X\r\n\r\n", 400, 0 },
	{ "field without a name",
	  "GET / HTTP/1.1\r\n" H ": x\r\n\r\n", 400, 0 },
	{ "bracket in a name",
	  "GET / HTTP/1.1\r\n" H "X[]: x\r\n\r\n", 400, 0 },
	/* chunks */
	{ "blank behind the chunk size",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "5 \r\nhello\r\n0\r\n\r\n", 400, 0 },
	{ "chunk size with 0x",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "0x5\r\nhello\r\n0\r\n\r\n", 400, 0 },
	{ "no chunk size",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "\r\nhello\r\n0\r\n\r\n", 400, 0 },
	{ "chunk longer than its size",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "4\r\nhello\r\n0\r\n\r\n", 400, 0 },
	{ "chunk ended by bare LF",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "5\r\nhello\n0\r\n\r\n", 400, 0 },
	{ "extension with bare LF",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "5;a\nb\r\nhello\r\n0\r\n\r\n", 400, 0 },
	{ "folded trailer",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "0\r\nX: a\r\n b\r\n\r\n", 400, 0 },
	{ "length among the trailers",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "0\r\nContent-Length: 5\r\n\r\nhello", 400, 0 },
	{ "coding among the trailers",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "0\r\ntransfer-encoding: chunked\r\n\r\n", 400, 0 },
	{ "Host among the trailers",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "0\r\nHost: b\r\n\r\n", 400, 0 },
	/* sizes */
	{ "length above the limit",
	  "POST / HTTP/1.1\r\n" H "Content-Length: 1001\r\n\r\n", 413, 0 },
	{ "chunk above the limit",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "3e9\r\n", 413, 0 },
	{ "chunks above the limit",
	  "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "1\r\nx\r\n3e8\r\n", 413, 0 },
	/* targets */
	{ "no leading slash", "GET a HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "asterisk for GET", "GET * HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "other scheme", "GET ftp://a/ HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "no authority", "GET http:///a HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "user in the authority",
	  "GET http://u@a/ HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "dot dot", "GET /a/../b HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "dot dot at the end", "GET /a/.. HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "encoded dot dot", "GET /%2e%2E/b HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "half encoded dot dot", "GET /.%2e HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "encoded slash", "GET /a%2fb HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "encoded slash and dots",
	  "GET /..%2Fb HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "encoded NUL", "GET /a%00 HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "encoded backslash", "GET /a%5Cb HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "backslash", "GET /a\\b HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "encoded line end", "GET /a%0d%0ab HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "encoded twice", "GET /a%252fb HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "cut percent code", "GET /a%2 HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "bad percent code", "GET /%zz HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "not UTF-8", "GET /%c0%af HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "fragment", "GET /a#b HTTP/1.1\r\n" H "\r\n", 400, 0 },
	{ "fragment behind the query",
	  "GET /a?b#c HTTP/1.1\r\n" H "\r\n", 400, 0 },
};

Test(http_request, rejects_smuggling)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		const struct vector *v = &refused[i];
		size_t len = v->len ? v->len : strlen(v->text);
		struct outcome o = judge(v->text, len);

		cr_assert_eq(o.state, HTTP_FAILED, "%s was accepted", v->what);
		cr_assert_eq(o.status, v->status, "%s: %d", v->what, o.status);
	}
}

/* Data behind a complete request is parsed as the next request. */
Test(http_request, does_not_let_a_head_end_at_cr_and_a_letter)
{
	static const char text[] = "GET / HTTP/1.1\r\n" H "\r\n"
				   "\rXGET /b HTTP/1.1\r\n" H "\r\n";
	struct http_request *r = http_request_new(BODY_MAX);
	struct buf in = { 0 };

	buf_append(&in, text, sizeof text - 1);
	cr_assert_eq(http_request_feed(r, &in), HTTP_HAVE_HEAD);
	cr_assert_eq(http_request_feed(r, &in), HTTP_COMPLETE);
	http_request_reset(r);
	cr_assert_eq(http_request_feed(r, &in), HTTP_FAILED);
	cr_assert_eq(http_request_status(r), 400);
	cr_assert_str_neq(http_request_reason(r), "");
	buf_done(&in);
	http_request_free(&r);
}

static const struct accepted {
	const char *text;
	const char *method;
	const char *path;
	const char *query;
	const char *body;
	bool keep_alive;
	size_t rest;
} accepted[] = {
	{ "GET / HTTP/1.1\r\n" H "\r\n", "GET", "/", "", "", true, 0 },
	{ "\r\n\r\nGET /a HTTP/1.1\r\n" H "\r\n", "GET", "/a", "", "", true,
	  0 },
	{ "GET / HTTP/1.0\r\n\r\n", "GET", "/", "", "", false, 0 },
	{ "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "GET", "/", "",
	  "", true, 0 },
	{ "GET / HTTP/1.1\r\n" H "Connection: close\r\n\r\n", "GET", "/", "",
	  "", false, 0 },
	{ "GET / HTTP/1.1\r\n" H "Connection: x, Close\r\n\r\nrest", "GET",
	  "/", "", "", false, 4 },
	{ "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET", "/", "", "", true, 0 },
	{ "GET / HTTP/1.1\r\nhOST: [::1]:8000\r\n\r\n", "GET", "/", "", "",
	  true, 0 },
	{ "HEAD /x HTTP/1.1\r\n" H "\r\n", "HEAD", "/x", "", "", true, 0 },
	{ "OPTIONS * HTTP/1.1\r\n" H "\r\n", "OPTIONS", "*", "", "", true, 0 },
	{ "GET http://b:80/a/?q HTTP/1.1\r\n" H "\r\n", "GET", "/a/", "q", "",
	  true, 0 },
	{ "GET HTTP://b?q HTTP/1.1\r\n" H "\r\n", "GET", "/", "q", "", true,
	  0 },
	{ "GET https://b HTTP/1.1\r\n" H "\r\n", "GET", "/", "", "", true, 0 },
	{ "GET /%61%2D%25?%2f HTTP/1.1\r\n" H "\r\n", "GET", "/a-%", "%2f",
	  "", true, 0 },
	{ "GET //a//./b/. HTTP/1.1\r\n" H "\r\n", "GET", "/a/b/", "", "",
	  true, 0 },
	{ "GET /..a/b..c/... HTTP/1.1\r\n" H "\r\n", "GET", "/..a/b..c/...",
	  "", "", true, 0 },
	{ "GET /%d0%9d HTTP/1.1\r\n" H "\r\n", "GET", "/\xd0\x9d", "", "",
	  true, 0 },
	{ "GET /\xd0\x9d?\xff HTTP/1.1\r\n" H "\r\n", "GET", "/\xd0\x9d",
	  "\xff", "", true, 0 },
	{ "GET /a?b?c=/../d HTTP/1.1\r\n" H "\r\n", "GET", "/a", "b?c=/../d",
	  "", true, 0 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\nhelloGET",
	  "POST", "/", "", "hello", true, 3 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 005  \r\n\r\nhello",
	  "POST", "/", "", "hello", true, 0 },
	{ "POST / HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n", "POST", "/", "",
	  "", true, 0 },
	{ "GET / HTTP/1.1\r\n" H "Content-Length: 2\r\n\r\n{}", "GET", "/",
	  "", "{}", true, 0 },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: Chunked\r\n\r\n"
	  "5\r\nhello\r\n00A;a;c=\"d\"\r\n, wor\r\nld!\r\n0\r\n\r\nmore",
	  "POST", "/", "", "hello, wor\r\nld!", true, 4 },
	{ "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
	  "1\r\nx\r\n0\r\nHosts: b\r\nX-Sum:\r\n\r\n",
	  "POST", "/", "", "x", true, 0 },
	{ "POST / HTTP/1.1\r\n" H "Connection: Upgrade\r\n"
	  "Upgrade: websocket\r\nContent-Length: 2\r\n\r\nhiyou",
	  "POST", "/", "", "hi", true, 3 },
	{ "GET / HTTP/1.1\r\n" H "Connection: Upgrade\r\n"
	  "Upgrade: websocket\r\n\r\n\x81\x84", "GET", "/", "", "", true, 2 },
};

static void check_accepted(const struct accepted *a, size_t step)
{
	struct http_request *r = http_request_new(BODY_MAX);
	struct buf rest = { 0 };
	enum http_state state;
	const uint8_t *body;
	size_t len;
	bool head;

	state = feed(r, a->text, strlen(a->text), step, &rest, &head);
	cr_assert_eq(state, HTTP_COMPLETE, "%d %s: %s",
		     http_request_status(r), http_request_reason(r), a->text);
	cr_assert(head);
	cr_assert_str_eq(http_request_method(r), a->method);
	cr_assert_str_eq(http_request_path(r), a->path);
	cr_assert_str_eq(http_request_query(r), a->query);
	cr_assert_eq(http_request_keep_alive(r), a->keep_alive);
	cr_assert_not(http_request_has_body(r));
	body = http_request_body(r, &len);
	cr_assert_eq(len, strlen(a->body));
	cr_assert_eq(memcmp(body, a->body, len), 0);
	cr_assert_eq(buf_len(&rest), a->rest, "rest of: %s", a->text);
	buf_done(&rest);
	http_request_free(&r);
}

Test(http_request, reads_valid_requests_in_pieces_of_any_size)
{
	for (size_t i = 0; i < ARRAY_LEN(accepted); i++)
		for (size_t n = 1; n <= strlen(accepted[i].text); n++)
			check_accepted(&accepted[i], n);
}

/* Cut in two at every byte. */
Test(http_request, reads_a_request_cut_anywhere)
{
	static const char text[] =
		"POST /control/?a=b HTTP/1.1\r\nHost: h\r\nX-Empty:\r\n"
		"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
	size_t len = sizeof text - 1;

	for (size_t cut = 1; cut < len; cut++) {
		struct http_request *r = http_request_new(BODY_MAX);
		struct buf in = { 0 };
		enum http_state state;
		size_t n;

		buf_append(&in, text, cut);
		while ((state = http_request_feed(r, &in)) == HTTP_HAVE_HEAD)
			;
		cr_assert_eq(state, HTTP_MORE, "cut at %zu", cut);
		buf_append(&in, text + cut, len - cut);
		while ((state = http_request_feed(r, &in)) == HTTP_HAVE_HEAD)
			;
		cr_assert_eq(state, HTTP_COMPLETE, "cut at %zu", cut);
		cr_assert_eq(memcmp(http_request_body(r, &n), "abc", 3), 0);
		cr_assert_eq(n, 3);
		buf_done(&in);
		http_request_free(&r);
	}
}

Test(http_request, shows_headers_by_lower_case_name)
{
	static const char text[] =
		"GET / HTTP/1.1\r\nHOST: h:80\r\nX-A: \t one two \t\r\n"
		"X-Empty: \r\nX-None:\r\nX-A: again\r\n\r\n";
	struct http_request *r = http_request_new(0);
	struct buf in = { 0 };

	buf_append(&in, text, sizeof text - 1);
	cr_assert_eq(http_request_feed(r, &in), HTTP_HAVE_HEAD);
	cr_assert_str_eq(http_request_header(r, "host"), "h:80");
	cr_assert_str_eq(http_request_header(r, "x-a"), "one two");
	cr_assert_str_eq(http_request_header(r, "x-empty"), "");
	cr_assert_str_eq(http_request_header(r, "x-none"), "");
	cr_assert_null(http_request_header(r, "x-other"));
	cr_assert_eq(http_request_minor(r), 1);
	buf_done(&in);
	http_request_free(&r);
}

Test(http_request, reports_the_head_before_it_reads_the_body)
{
	static const char text[] =
		"POST / HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\nabc";
	struct http_request *r = http_request_new(3);
	struct buf in = { 0 };

	buf_append(&in, text, sizeof text - 1);
	cr_assert_eq(http_request_feed(r, &in), HTTP_HAVE_HEAD);
	cr_assert_eq(buf_len(&in), 3);
	cr_assert(http_request_has_body(r));
	cr_assert_eq(http_request_feed(r, &in), HTTP_COMPLETE);
	cr_assert_eq(buf_len(&in), 0);
	cr_assert_not(http_request_has_body(r));
	buf_done(&in);
	http_request_free(&r);
}

/* A request line and fields of exactly n bytes. */
static void sized_head(struct buf *in, size_t n)
{
	static const char start[] = "GET / HTTP/1.1\r\n" H "X: ";
	size_t fixed = sizeof start - 1 + 4;

	buf_append(in, start, sizeof start - 1);
	for (size_t i = 0; i < n - fixed; i++)
		buf_append(in, "x", 1);
	buf_append(in, "\r\n\r\n", 4);
}

Test(http_request, bounds_the_head)
{
	for (size_t over = 0; over < 2; over++) {
		struct http_request *r = http_request_new(0);
		struct buf in = { 0 };

		sized_head(&in, HTTP_HEAD_MAX + over);
		cr_assert_eq(http_request_feed(r, &in),
			     over ? HTTP_FAILED : HTTP_HAVE_HEAD);
		cr_assert_eq(http_request_status(r), over ? 431 : 0);
		buf_done(&in);
		http_request_free(&r);
	}
}

Test(http_request, bounds_the_number_of_headers)
{
	for (unsigned over = 0; over < 2; over++) {
		struct http_request *r = http_request_new(0);
		struct buf in = { 0 };

		buf_printf(&in, "GET / HTTP/1.1\r\n" H);
		for (unsigned i = 1; i < HTTP_HEADERS_MAX + over; i++)
			buf_printf(&in, "x%u: %u\r\n", i, i);
		buf_printf(&in, "\r\n");
		cr_assert_eq(http_request_feed(r, &in),
			     over ? HTTP_FAILED : HTTP_HAVE_HEAD);
		cr_assert_eq(http_request_status(r), over ? 431 : 0);
		buf_done(&in);
		http_request_free(&r);
	}
}

Test(http_request, bounds_the_target)
{
	struct http_request *r = http_request_new(0);
	struct buf in = { 0 };

	buf_printf(&in, "GET /");
	for (unsigned i = 0; i < 8192; i++)
		buf_append(&in, "a", 1);
	cr_assert_eq(http_request_feed(r, &in), HTTP_FAILED);
	cr_assert_eq(http_request_status(r), 414);
	buf_done(&in);
	http_request_free(&r);
}

Test(http_request, bounds_the_trailers)
{
	struct http_request *r = http_request_new(10);
	struct buf in = { 0 };
	enum http_state state = HTTP_MORE;

	buf_printf(&in, "POST / HTTP/1.1\r\n" H
			"Transfer-Encoding: chunked\r\n\r\n0\r\n");
	for (unsigned i = 0; state != HTTP_FAILED && i < 1000; i++) {
		buf_printf(&in, "x%u: 0123456789\r\n", i);
		state = http_request_feed(r, &in);
		if (state == HTTP_HAVE_HEAD)
			state = http_request_feed(r, &in);
	}
	cr_assert_eq(state, HTTP_FAILED);
	cr_assert_eq(http_request_status(r), 431);
	buf_done(&in);
	http_request_free(&r);
}

Test(http_request, reads_a_train_of_requests_in_order)
{
	struct http_request *r = http_request_new(10);
	struct buf in = { 0 };
	char path[16];

	for (unsigned i = 0; i < 100; i++)
		buf_printf(&in,
			   "POST /%u HTTP/1.1\r\n" H "Content-Length: 2\r\n"
			   "\r\n%02u", i, i);
	for (unsigned i = 0; i < 100; i++) {
		size_t len;

		cr_assert_eq(http_request_feed(r, &in), HTTP_HAVE_HEAD);
		cr_assert_eq(http_request_feed(r, &in), HTTP_COMPLETE);
		cr_assert_eq(http_request_feed(r, &in), HTTP_COMPLETE);
		snprintf(path, sizeof path, "/%u", i);
		cr_assert_str_eq(http_request_path(r), path);
		cr_assert_eq(http_request_body(r, &len)[1], '0' + i % 10);
		cr_assert_eq(len, 2);
		http_request_reset(r);
	}
	cr_assert_eq(buf_len(&in), 0);
	cr_assert_eq(http_request_feed(r, &in), HTTP_MORE);
	buf_done(&in);
	http_request_free(&r);
}

Test(http_request, stays_failed_until_it_is_reset)
{
	struct http_request *r = http_request_new(10);
	struct buf in = { 0 };

	buf_printf(&in, "\n");
	cr_assert_eq(http_request_feed(r, &in), HTTP_FAILED);
	buf_reset(&in, 0);
	buf_printf(&in, "GET / HTTP/1.1\r\n" H "\r\n");
	cr_assert_eq(http_request_feed(r, &in), HTTP_FAILED);
	http_request_reset(r);
	cr_assert_eq(http_request_status(r), 0);
	cr_assert_eq(http_request_feed(r, &in), HTTP_HAVE_HEAD);
	buf_done(&in);
	http_request_free(&r);
}

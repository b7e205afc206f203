/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/common/http/site.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

Test(http_server, answers_with_all_its_headers)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert_eq(strncmp(client_text(&c), "HTTP/1.1 200 OK\r\n", 17), 0);
	cr_assert(client_has(&c, "\r\nContent-Length: 8\r\n"));
	cr_assert(client_has(&c, "\r\nContent-Type: text/plain\r\n"));
	cr_assert(client_has(&c, "\r\nX-Content-Type-Options: nosniff\r\n"));
	cr_assert(client_has(&c, "\r\nCache-Control: no-store\r\n"));
	cr_assert(client_has(&c, "\r\nConnection: keep-alive\r\n"));
	cr_assert(client_has(&c, "\r\nDate: "));
	cr_assert(client_has(&c, " GMT\r\n"));
	client_close(&c);
	site_close(s);
}

Test(http_server, keeps_a_connection_for_more_requests)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	for (unsigned i = 0; i < 20; i++) {
		cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
					 "Content-Length: 2\r\n\r\nhi"));
		cr_assert(client_expect(&c, "[POST / hi]"));
		buf_reset(&c.in, 0);
	}
	cr_assert_eq(s->requests, 20);
	client_close(&c);
	site_close(s);
}

Test(http_server, closes_when_asked_to)
{
	static const char *const last[] = {
		"GET / HTTP/1.0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
	};
	struct site *s = site_open();

	for (size_t i = 0; i < ARRAY_LEN(last); i++) {
		struct client c = site_visit(s);

		cr_assert(client_say(&c, last[i]));
		cr_assert(client_expect_end(&c));
		cr_assert(client_has(&c, "\r\nConnection: close\r\n"));
		cr_assert(client_has(&c, "[GET / ]"));
		client_close(&c);
	}
	site_close(s);
}

Test(http_server, keeps_an_old_client_that_asks_for_it)
{
	static const char again[] =
		"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
	struct site *s = site_open();
	struct client c = site_visit(s);

	for (unsigned i = 0; i < 2; i++) {
		cr_assert(client_say(&c, again));
		cr_assert(client_expect(&c, "[GET / ]"));
		cr_assert(client_has(&c, "\r\nConnection: keep-alive\r\n"));
		buf_reset(&c.in, 0);
	}
	client_close(&c);
	site_close(s);
}

Test(http_server, answers_a_train_of_requests_in_order)
{
	struct site *s = site_open();
	struct client c = site_visit(s);
	struct buf train = { 0 };
	const char *at;
	char text[32];

	for (unsigned i = 0; i < 2000; i++)
		buf_printf(&train, "GET /%u HTTP/1.1\r\nHost: a\r\n\r\n", i);
	cr_assert(client_send(&c, buf_head(&train), buf_len(&train)));
	cr_assert(client_expect(&c, "[GET /1999 ]"));
	at = client_text(&c);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(text, sizeof text, "[GET /%u ]", i);
		at = strstr(at, text);
		cr_assert_not_null(at, "%s is missing", text);
	}
	buf_done(&train);
	client_close(&c);
	site_close(s);
}

Test(http_server, waits_for_a_late_answer_before_the_next_request)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c,
			     "GET /later HTTP/1.1\r\nHost: a\r\n\r\n" GET));
	drive(s->loop, site_one_waits, s);
	drive_for(s->loop, 10);
	cr_assert_eq(s->requests, 1);
	site_say(s->conns[0], "late");
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert_lt(strstr(client_text(&c), "late"),
		     strstr(client_text(&c), "[GET / ]"));
	client_close(&c);
	site_close(s);
}

Test(http_server, answers_head_without_a_body)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c, "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert(client_has(&c, "Content-Length: 10\r\n"));
	cr_assert_not(client_has(&c, "[HEAD"));
	client_close(&c);
	site_close(s);
}

Test(http_server, answers_options_for_the_server_itself)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c,
			     "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n" GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert(client_has(&c, "HTTP/1.1 204 No Content\r\n"));
	cr_assert(client_has(&c, "\r\nAllow: GET, HEAD, POST, OPTIONS\r\n"));
	cr_assert_eq(s->requests, 1);
	client_close(&c);
	site_close(s);
}

static const struct {
	const char *text;
	const char *status;
} refused[] = {
	{ "GET / HTTP/1.1\r\n\r\n" GET, "HTTP/1.1 400 " },
	{ "GET / HTTP/1.1\nHost: a\n\n" GET, "HTTP/1.1 400 " },
	{ "GET / HTTP/3.0\r\nHost: a\r\n\r\n" GET, "HTTP/1.1 505 " },
	{ "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
	  "HTTP/1.1 501 " },
	{ "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8388609\r\n\r\n",
	  "HTTP/1.1 413 " },
	{ "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
	  "Expect: tea\r\n\r\nabc" GET, "HTTP/1.1 417 " },
};

Test(http_server, refuses_and_closes)
{
	struct site *s = site_open();

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct client c = site_visit(s);

		cr_assert(client_say(&c, refused[i].text));
		cr_assert(client_expect_end(&c));
		cr_assert(client_has(&c, refused[i].status), "%s",
			  client_text(&c));
		cr_assert(client_has(&c, "\r\nConnection: close\r\n"));
		cr_assert_null(strstr(client_text(&c) + 1, "HTTP/1.1 "),
			       "a second answer");
		client_close(&c);
	}
	cr_assert_eq(s->requests, 0);
	site_close(s);
}

/* Without draining, the bytes behind the refusal would make the kernel send
 * RST, and the client might never read the answer. */
Test(http_server, lets_a_client_that_sends_read_its_rejection)
{
	struct site *s = site_open();
	struct client c = site_visit(s);
	char *noise = xcalloc(1, SITE_LARGE);

	cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
				 "Content-Length: 99999999\r\n\r\n"));
	cr_assert(client_send(&c, noise, SITE_LARGE));
	cr_assert(client_expect_end(&c));
	cr_assert(client_has(&c, "HTTP/1.1 413 "));
	free(noise);
	client_close(&c);
	site_close(s);
}

Test(http_server, asks_for_the_body_that_is_held_back)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
				 "Expect: 100-Continue\r\n"
				 "Content-Length: 2\r\n\r\n"));
	cr_assert(client_expect(&c, "HTTP/1.1 100 Continue\r\n\r\n"));
	cr_assert(client_say(&c, "hi"));
	cr_assert(client_expect(&c, "[POST / hi]"));
	client_close(&c);
	site_close(s);
}

static void take_on_request(struct http_conn *conn,
			    const struct http_request *request, void *arg)
{
	struct site *s = arg;
	struct buf rest = { 0 };
	struct peer *from;
	int fd;

	(void)request;
	s->requests++;
	cr_assert_str_eq(http_conn_peer(conn), "127.0.0.1");
	fd = http_conn_take_socket(conn, &rest, &from);
	cr_assert_geq(fd, 0);
	cr_assert_eq(send(fd, buf_head(&rest), buf_len(&rest), 0),
		     (ssize_t)buf_len(&rest));
	buf_done(&rest);
	fd_close(&fd);
}

Test(http_server, hands_over_its_socket_with_the_bytes_behind_the_request)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.on_request = take_on_request;
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_say(&c, "GET / HTTP/1.1\r\nHost: a\r\n"
				 "Connection: Upgrade\r\nUpgrade: x\r\n\r\n"
				 "echo me"));
	cr_assert(client_expect_end(&c));
	cr_assert_str_eq(client_text(&c), "echo me");
	cr_assert_eq(s->gone, 0);
	client_close(&c);
	site_close(s);
}

static bool wrote_much(void *arg)
{
	struct site *s = arg;

	return s->requests > 0;
}

/* change: after the answer has begun. */
static void read_slowly(const char *path, bool change)
{
	struct site *s = site_open();
	struct client c = site_visit(s);
	const char *body;
	char line[64];

	s->large = xcalloc(1, SITE_LARGE);
	for (size_t i = 0; i < SITE_LARGE; i++)
		s->large[i] = (char)('a' + i % 23);
	(void)snprintf(line, sizeof line, "GET %s HTTP/1.0\r\n\r\n", path);
	cr_assert(client_say(&c, line));
	drive(s->loop, wrote_much, s);
	if (change)
		s->large[SITE_LARGE - 1] = 'Z';
	drive_for(s->loop, 20);
	cr_assert(client_expect_end(&c));
	body = strstr(client_text(&c), "\r\n\r\n");
	cr_assert_not_null(body);
	cr_assert_eq(strlen(body + 4), SITE_LARGE);
	cr_assert_eq(memcmp(body + 4, s->large, SITE_LARGE), 0);
	client_close(&c);
	site_close(s);
}

Test(http_server, writes_a_large_answer_to_a_slow_reader)
{
	read_slowly("/large", false);
}

Test(http_server, does_not_copy_a_lasting_body)
{
	read_slowly("/lasting", true);
}

Test(http_server, answers_again_after_a_lasting_body)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	s->large = xcalloc(1, SITE_LARGE);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert(client_say(&c, "GET /lasting HTTP/1.1\r\nHost: a"
					 "\r\n\r\nHEAD /lasting HTTP/1.1"
					 "\r\nHost: a\r\n\r\n" GET));
		cr_assert(client_expect(&c, "[GET / ]"));
		cr_assert_gt(buf_len(&c.in), SITE_LARGE);
		cr_assert_lt(buf_len(&c.in), SITE_LARGE + 2000);
		buf_reset(&c.in, 0);
	}
	client_close(&c);
	site_close(s);
}

Test(http_server, names_an_address_in_use)
{
	struct site *s = site_open();
	struct http_server *other = http_server_new(&s->cfg);
	struct sockaddr_any same;

	cr_assert_eq(sockaddr_of_listener(http_server_fd(s->server, 0), &same),
		     0);
	cr_assert_eq(http_server_listen(other, &same), -EADDRINUSE);
	cr_assert_eq(http_server_fd(other, 0), -1);
	http_server_free(&other);
	site_close(s);
}

static struct site *open_strict(void)
{
	struct site *s = site_new();

	s->cfg.on_head = site_on_head;
	site_listen(s);
	return s;
}

/* A body of len bytes in one piece, or in chunks. */
static void post(struct client *c, const char *path, size_t len, bool chunked)
{
	char head[128], *body = xcalloc(1, len + 1);

	memset(body, 'x', len);
	if (chunked)
		(void)snprintf(head, sizeof head, "POST %s HTTP/1.1\r\n"
			       "Host: a\r\nTransfer-Encoding: chunked\r\n\r\n"
			       "%zx\r\n", path, len);
	else
		(void)snprintf(head, sizeof head, "POST %s HTTP/1.1\r\n"
			       "Host: a\r\nContent-Length: %zu\r\n\r\n",
			       path, len);
	cr_assert(client_say(c, head));
	(void)client_send(c, body, len);
	if (chunked)
		(void)client_say(c, "\r\n0\r\n\r\n");
	free(body);
}

Test(http_server, receives_a_long_body_after_its_head_was_judged)
{
	for (unsigned chunked = 0; chunked < 2; chunked++) {
		struct site *s = open_strict();
		struct client c = site_visit(s);

		post(&c, "/yes", 100000, chunked);
		cr_assert(client_expect(&c, "[POST /yes xxx"));
		/* the next request is judged anew */
		post(&c, "/small", 8192, chunked);
		cr_assert(client_expect(&c, "[POST /small xxx"));
		post(&c, "/no", 100000, chunked);
		cr_assert(client_expect(&c, "403 Forbidden"));
		(void)client_expect_end(&c);
		cr_assert_eq(s->requests, 2);
		client_close(&c);
		site_close(s);
	}
}

static bool is_judged(void *arg)
{
	return ((struct site *)arg)->judged != NULL;
}

/* The length of a chunked body shows only while it arrives. */
Test(http_server, writes_100_continue_once)
{
	static const char head[] = "POST /wait HTTP/1.1\r\nHost: a\r\n"
				   "Expect: 100-continue\r\n"
				   "Transfer-Encoding: chunked\r\n\r\n";
	struct site *s = open_strict();
	struct client c = site_visit(s);
	char body[9000];

	memset(body, 'y', sizeof body);
	cr_assert(client_say(&c, head));
	cr_assert(client_expect(&c, "HTTP/1.1 100 Continue\r\n\r\n"));
	cr_assert(client_say(&c, "2328\r\n"));
	cr_assert(client_send(&c, body, sizeof body));
	drive(s->loop, is_judged, s);
	http_continue(s->judged);
	cr_assert(client_say(&c, "\r\n0\r\n\r\n"));
	cr_assert(client_expect(&c, "[POST /wait yyy"));
	cr_expect_not(client_has(&c, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 "
				     "100 Continue"));
	client_close(&c);
	site_close(s);
}

Test(http_server, waits_for_the_judgement_of_a_head)
{
	static const char head[] = "POST /wait HTTP/1.1\r\nHost: a\r\n"
				   "Expect: 100-continue\r\n"
				   "Content-Length: 9000\r\n\r\n";
	struct site *s = open_strict();
	struct client c = site_visit(s), d = site_visit(s);
	char body[9000];

	memset(body, 'y', sizeof body);
	cr_assert(client_say(&c, head));
	drive(s->loop, is_judged, s);
	drive_for(s->loop, 20);
	cr_assert_not(client_has(&c, "100 Continue"));
	http_continue(s->judged);
	cr_assert(client_expect(&c, "HTTP/1.1 100 Continue\r\n\r\n"));
	cr_assert(client_send(&c, body, sizeof body));
	cr_assert(client_expect(&c, "[POST /wait yyy"));
	/* a client that leaves meanwhile */
	s->judged = NULL;
	cr_assert(client_say(&d, head));
	drive(s->loop, is_judged, s);
	client_reset(&d);
	drive_for(s->loop, 50);
	cr_assert_eq(s->gone, 1);
	client_close(&c);
	site_close(s);
}

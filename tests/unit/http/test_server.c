/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/http/server.h"

#include "common/alloc.h"
#include "common/fd.h"
#include "common/log.h"
#include "tests/unit/http/client.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HELD_MAX = 2000, LARGE = 4 * 1024 * 1024 };

#define GET "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/* A server and what its handler saw. */
struct site {
	struct ev_loop *loop;
	struct http_server *server;
	struct http_server_config cfg;
	struct http_conn *conns[HELD_MAX]; /* not yet answered */
	size_t n_conns;
	unsigned requests;
	unsigned gone;
	char *large;
};

static void on_gone(struct http_conn *conn, void *arg)
{
	struct site *s = arg;

	s->gone++;
	for (size_t i = 0; i < s->n_conns; i++)
		if (s->conns[i] == conn)
			s->conns[i] = NULL;
}

static void say(struct http_conn *conn, const char *text)
{
	http_respond(conn, &(struct http_answer){
				   .status = 200,
				   .content_type = "text/plain",
				   .body = text,
				   .len = strlen(text),
			   });
}

/* "/later" waits, "/large" is large, others are echoed. */
static void on_request(struct http_conn *conn,
		       const struct http_request *request, void *arg)
{
	struct site *s = arg;
	const char *path = http_request_path(request);
	size_t len;
	const uint8_t *body = http_request_body(request, &len);
	char text[256];

	s->requests++;
	if (strcmp(path, "/later") == 0) {
		s->conns[s->n_conns++] = conn;
		return;
	}
	if (strcmp(path, "/large") == 0) {
		http_respond(conn, &(struct http_answer){
					   .status = 200,
					   .content_type = "text/plain",
					   .body = s->large,
					   .len = LARGE });
		return;
	}
	snprintf(text, sizeof text, "[%s %s %.*s]",
		 http_request_method(request), path, (int)MIN(len, 100U),
		 (const char *)body);
	say(conn, text);
}

static void site_listen(struct site *s)
{
	struct sockaddr_any any;

	s->server = http_server_new(&s->cfg);
	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &any), 0);
	cr_assert_eq(http_server_listen(s->server, &any), 0);
	cr_assert_neq(http_server_port(s->server), 0);
}

static struct site *site_new(void)
{
	struct site *s = xcalloc(1, sizeof *s);

	s->loop = ev_loop_new(EVFLAG_AUTO);
	s->cfg = (struct http_server_config){
		.loop = s->loop,
		.on_request = on_request,
		.on_gone = on_gone,
		.arg = s,
	};
	return s;
}

static struct site *site_open(void)
{
	struct site *s = site_new();

	site_listen(s);
	return s;
}

static void site_close(struct site *s)
{
	http_server_free(&s->server);
	cr_assert_null(s->server);
	ev_loop_destroy(s->loop);
	free(s->large);
	free(s);
}

static struct client visit(struct site *s)
{
	return client_open(s->loop, http_server_port(s->server));
}

static bool has(struct client *c, const char *text)
{
	return strstr(client_text(c), text);
}

Test(http_server, answers_with_all_its_headers)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert_eq(strncmp(client_text(&c), "HTTP/1.1 200 OK\r\n", 17), 0);
	cr_assert(has(&c, "\r\nContent-Length: 8\r\n"));
	cr_assert(has(&c, "\r\nContent-Type: text/plain\r\n"));
	cr_assert(has(&c, "\r\nX-Content-Type-Options: nosniff\r\n"));
	cr_assert(has(&c, "\r\nCache-Control: no-store\r\n"));
	cr_assert(has(&c, "\r\nConnection: keep-alive\r\n"));
	cr_assert(has(&c, "\r\nDate: "));
	cr_assert(has(&c, " GMT\r\n"));
	client_close(&c);
	site_close(s);
}

Test(http_server, keeps_a_connection_for_more_requests)
{
	struct site *s = site_open();
	struct client c = visit(s);

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
		struct client c = visit(s);

		cr_assert(client_say(&c, last[i]));
		cr_assert(client_expect_end(&c));
		cr_assert(has(&c, "\r\nConnection: close\r\n"));
		cr_assert(has(&c, "[GET / ]"));
		client_close(&c);
	}
	site_close(s);
}

Test(http_server, keeps_an_old_client_that_asks_for_it)
{
	static const char again[] =
		"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
	struct site *s = site_open();
	struct client c = visit(s);

	for (unsigned i = 0; i < 2; i++) {
		cr_assert(client_say(&c, again));
		cr_assert(client_expect(&c, "[GET / ]"));
		cr_assert(has(&c, "\r\nConnection: keep-alive\r\n"));
		buf_reset(&c.in, 0);
	}
	client_close(&c);
	site_close(s);
}

Test(http_server, answers_a_train_of_requests_in_order)
{
	struct site *s = site_open();
	struct client c = visit(s);
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

static bool two_wait(void *arg)
{
	return ((struct site *)arg)->n_conns == 2;
}

static bool one_waits(void *arg)
{
	return ((struct site *)arg)->n_conns >= 1;
}

Test(http_server, waits_for_a_late_answer_before_the_next_request)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n" GET));
	drive(s->loop, one_waits, s);
	drive_for(s->loop, 10);
	cr_assert_eq(s->requests, 1);
	say(s->conns[0], "late");
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert_lt(strstr(client_text(&c), "late"),
		     strstr(client_text(&c), "[GET / ]"));
	client_close(&c);
	site_close(s);
}

Test(http_server, answers_head_without_a_body)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, "HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert(has(&c, "Content-Length: 10\r\n"));
	cr_assert_not(has(&c, "[HEAD"));
	client_close(&c);
	site_close(s);
}

Test(http_server, answers_options_for_the_server_itself)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n" GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	cr_assert(has(&c, "HTTP/1.1 204 No Content\r\n"));
	cr_assert(has(&c, "\r\nAllow: GET, HEAD, POST, OPTIONS\r\n"));
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
		struct client c = visit(s);

		cr_assert(client_say(&c, refused[i].text));
		cr_assert(client_expect_end(&c));
		cr_assert(has(&c, refused[i].status), "%s", client_text(&c));
		cr_assert(has(&c, "\r\nConnection: close\r\n"));
		cr_assert_null(strstr(client_text(&c) + 1, "HTTP/1.1 "),
			       "a second answer");
		client_close(&c);
	}
	cr_assert_eq(s->requests, 0);
	site_close(s);
}

/* Without draining, the bytes behind the refusal would make the kernel send
 * RST, and the client might never read the answer. */
Test(http_server, lets_a_talker_read_why_it_is_refused)
{
	struct site *s = site_open();
	struct client c = visit(s);
	char *noise = xcalloc(1, LARGE);

	cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
				 "Content-Length: 99999999\r\n\r\n"));
	cr_assert(client_send(&c, noise, LARGE));
	cr_assert(client_expect_end(&c));
	cr_assert(has(&c, "HTTP/1.1 413 "));
	free(noise);
	client_close(&c);
	site_close(s);
}

Test(http_server, asks_for_the_body_that_is_held_back)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
				 "Expect: 100-Continue\r\n"
				 "Content-Length: 2\r\n\r\n"));
	cr_assert(client_expect(&c, "HTTP/1.1 100 Continue\r\n\r\n"));
	cr_assert(client_say(&c, "hi"));
	cr_assert(client_expect(&c, "[POST / hi]"));
	client_close(&c);
	site_close(s);
}

Test(http_server, ends_a_head_that_trickles)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.head_timeout_ms = 30;
	site_listen(s);
	c = visit(s);
	/* a byte now and then does not buy time */
	for (unsigned i = 0; i < 8; i++) {
		cr_assert(client_say(&c, "G"));
		drive_for(s->loop, 5);
	}
	cr_assert(client_expect(&c, "HTTP/1.1 408 "));
	client_close(&c);
	site_close(s);
}

Test(http_server, ends_a_body_that_never_comes)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.body_timeout_ms = 20;
	site_listen(s);
	c = visit(s);
	cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
				 "Content-Length: 9\r\n\r\nhi"));
	cr_assert(client_expect_end(&c));
	cr_assert(has(&c, "HTTP/1.1 408 "));
	cr_assert_eq(s->requests, 0);
	client_close(&c);
	site_close(s);
}

Test(http_server, closes_an_idle_connection_without_a_word)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.idle_timeout_ms = 20;
	site_listen(s);
	c = visit(s);
	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	buf_reset(&c.in, 0);
	cr_assert(client_expect_end(&c));
	cr_assert_eq(buf_len(&c.in), 0);
	client_close(&c);
	site_close(s);
}

Test(http_server, closes_a_silent_connection_without_a_word)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.head_timeout_ms = 20;
	site_listen(s);
	c = visit(s);
	cr_assert(client_expect_end(&c));
	cr_assert_eq(buf_len(&c.in), 0);
	client_close(&c);
	site_close(s);
}

Test(http_server, answers_a_client_that_has_said_all)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, GET "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"
				 "GET /last HTTP/1.1\r\nHost: a\r\n\r\n"));
	cr_assert_eq(shutdown(c.fd, SHUT_WR), 0);
	drive(s->loop, one_waits, s);
	drive_for(s->loop, 10);
	say(s->conns[0], "late");
	cr_assert(client_expect_end(&c));
	cr_assert(has(&c, "[GET / ]"));
	cr_assert(has(&c, "late"));
	cr_assert(has(&c, "[GET /last ]"));
	cr_assert_eq(s->gone, 0);
	client_close(&c);
	site_close(s);
}

Test(http_server, drops_a_request_that_was_cut)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
				 "Content-Length: 9\r\n\r\nhi"));
	cr_assert_eq(shutdown(c.fd, SHUT_WR), 0);
	cr_assert(client_expect_end(&c));
	cr_assert_eq(s->requests, 0);
	client_close(&c);
	site_close(s);
}

static bool one_gone(void *arg)
{
	return ((struct site *)arg)->gone == 1;
}

Test(http_server, tells_when_the_client_is_gone_before_its_answer)
{
	struct site *s = site_open();
	struct client c = visit(s);

	cr_assert(client_say(&c, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, one_waits, s);
	client_reset(&c);
	drive(s->loop, one_gone, s);
	site_close(s);
}

static void free_on_gone(struct http_conn *conn, void *arg)
{
	struct site *s = arg;

	on_gone(conn, arg);
	http_server_free(&s->server);
}

Test(http_server, may_be_freed_when_a_client_is_gone)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.on_gone = free_on_gone;
	site_listen(s);
	c = visit(s);
	cr_assert(client_say(&c, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, one_waits, s);
	client_reset(&c);
	drive(s->loop, one_gone, s);
	site_close(s);
}

static void free_on_request(struct http_conn *conn,
			    const struct http_request *request, void *arg)
{
	struct site *s = arg;

	(void)conn, (void)request;
	s->requests++;
	http_server_free(&s->server);
}

Test(http_server, may_be_freed_inside_its_handler)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.on_request = free_on_request;
	site_listen(s);
	c = visit(s);
	cr_assert(client_say(&c, GET GET));
	(void)client_expect_end(&c);
	cr_assert_eq(s->requests, 1);
	cr_assert_eq(s->gone, 1);
	client_close(&c);
	site_close(s);
}

Test(http_server, tells_of_every_request_it_leaves_without_an_answer)
{
	struct site *s = site_open();
	struct client a = visit(s), b = visit(s), idle = visit(s);

	cr_assert(client_say(&a, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	cr_assert(client_say(&b, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, two_wait, s);
	http_server_free(&s->server);
	cr_assert_eq(s->gone, 2);
	client_close(&a);
	client_close(&b);
	client_close(&idle);
	site_close(s);
}

static void take_on_request(struct http_conn *conn,
			    const struct http_request *request, void *arg)
{
	struct site *s = arg;
	struct buf rest = { 0 };
	int fd;

	(void)request;
	s->requests++;
	cr_assert_str_eq(http_conn_peer(conn), "127.0.0.1");
	fd = http_conn_take_socket(conn, &rest);
	cr_assert_geq(fd, 0);
	cr_assert_eq(send(fd, buf_head(&rest), buf_len(&rest), 0),
		     (ssize_t)buf_len(&rest));
	buf_done(&rest);
	fd_close(&fd);
}

Test(http_server, gives_its_socket_away_with_what_came_behind)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.on_request = take_on_request;
	site_listen(s);
	c = visit(s);
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

Test(http_server, writes_a_large_answer_to_a_slow_reader)
{
	struct site *s = site_open();
	struct client c = visit(s);
	const char *body;

	s->large = xcalloc(1, LARGE);
	for (size_t i = 0; i < LARGE; i++)
		s->large[i] = (char)('a' + i % 23);
	cr_assert(client_say(&c, "GET /large HTTP/1.0\r\n\r\n"));
	drive(s->loop, wrote_much, s);
	drive_for(s->loop, 20);
	cr_assert(client_expect_end(&c));
	body = strstr(client_text(&c), "\r\n\r\n");
	cr_assert_not_null(body);
	cr_assert_eq(strlen(body + 4), LARGE);
	cr_assert_eq(memcmp(body + 4, s->large, LARGE), 0);
	client_close(&c);
	site_close(s);
}

/* Would end the process by SIGPIPE. */
Test(http_server, survives_a_reset_in_the_middle_of_an_answer)
{
	struct site *s = site_open();

	s->large = xcalloc(1, LARGE);
	for (unsigned i = 0; i < 20; i++) {
		struct client c = visit(s);

		s->requests = 0;
		cr_assert(client_say(&c, "GET /large HTTP/1.1\r\nHost: a\r\n"
					 "\r\n"));
		drive(s->loop, wrote_much, s);
		client_reset(&c);
		drive_for(s->loop, 3);
	}
	site_close(s);
}

Test(http_server, makes_room_at_its_limit)
{
	struct site *s = site_new();
	struct client later, idle, fresh;

	s->cfg.connections_max = 2;
	site_listen(s);
	later = visit(s);
	cr_assert(client_say(&later,
			     "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, one_waits, s);
	idle = visit(s);
	cr_assert(client_say(&idle, GET));
	cr_assert(client_expect(&idle, "[GET / ]"));
	fresh = visit(s);
	cr_assert(client_say(&fresh, GET));
	cr_assert(client_expect(&fresh, "[GET / ]"));
	cr_assert(client_expect_end(&idle));
	say(s->conns[0], "late");
	cr_assert(client_expect(&later, "late"));
	client_close(&later);
	client_close(&idle);
	client_close(&fresh);
	site_close(s);
}

static void no_log(enum log_level level, const char *component,
		   const char *text, void *arg)
{
	(void)level, (void)component, (void)text;
	++*(unsigned *)arg;
}

Test(http_server, does_not_spin_without_descriptors)
{
	struct site *s = site_open();
	struct client waiting = visit(s), more = visit(s);
	unsigned lines = 0;
	struct rlimit limit, none;

	log_open(no_log, &lines, LOG_LEVEL_WARNING);
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = (rlim_t)more.fd + 1;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	cr_assert_lt(drive_for(s->loop, 500), 20);
	cr_assert_geq(lines, 1);
	cr_assert_leq(lines, 5);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	cr_assert(client_say(&waiting, GET));
	cr_assert(client_expect(&waiting, "[GET / ]"));
	client_close(&waiting);
	client_close(&more);
	site_close(s);
}

Test(http_server, names_an_address_in_use)
{
	struct site *s = site_open();
	struct http_server *other = http_server_new(&s->cfg);
	struct sockaddr_any same;

	cr_assert_eq(sockaddr_parse("127.0.0.1", http_server_port(s->server),
				    &same), 0);
	cr_assert_eq(http_server_listen(other, &same), -EADDRINUSE);
	cr_assert_eq(http_server_port(other), 0);
	http_server_free(&other);
	site_close(s);
}

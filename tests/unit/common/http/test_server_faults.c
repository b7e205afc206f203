/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/common/http/site.h"

#include "common/base/alloc.h"
#include "common/base/log.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

static bool two_wait(void *arg)
{
	return ((struct site *)arg)->n_conns == 2;
}

Test(http_faults, ends_a_head_that_trickles)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.head_timeout_ms = 30;
	site_listen(s);
	c = site_visit(s);
	/* a byte now and then does not buy time */
	for (unsigned i = 0; i < 8 && !client_has(&c, "408"); i++) {
		cr_assert(client_say(&c, "G"));
		drive_for(s->loop, 5);
		(void)client_has_ended(&c); /* reads all available data */
	}
	cr_assert(client_expect(&c, "HTTP/1.1 408 "));
	client_close(&c);
	site_close(s);
}

Test(http_faults, ends_a_body_that_never_comes)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.body_timeout_ms = 20;
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_say(&c, "POST / HTTP/1.1\r\nHost: a\r\n"
				 "Content-Length: 9\r\n\r\nhi"));
	cr_assert(client_expect_end(&c));
	cr_assert(client_has(&c, "HTTP/1.1 408 "));
	cr_assert(client_has(&c, "{\"error\":\"request timeout: the request is "
				 "incomplete\"}"));
	cr_assert_eq(s->requests, 0);
	client_close(&c);
	site_close(s);
}

Test(http_faults, closes_an_idle_connection_without_a_word)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.idle_timeout_ms = 20;
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	buf_reset(&c.in, 0);
	cr_assert(client_expect_end(&c));
	cr_assert_eq(buf_len(&c.in), 0);
	client_close(&c);
	site_close(s);
}

Test(http_faults, closes_a_silent_connection_without_a_word)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.head_timeout_ms = 20;
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_expect_end(&c));
	cr_assert_eq(buf_len(&c.in), 0);
	client_close(&c);
	site_close(s);
}

Test(http_faults, answers_a_client_that_has_closed_its_side)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c, GET "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"
				 "GET /last HTTP/1.1\r\nHost: a\r\n\r\n"));
	cr_assert_eq(shutdown(c.fd, SHUT_WR), 0);
	drive(s->loop, site_one_waits, s);
	drive_for(s->loop, 10);
	site_say(s->conns[0], "late");
	cr_assert(client_expect_end(&c));
	cr_assert(client_has(&c, "[GET / ]"));
	cr_assert(client_has(&c, "late"));
	cr_assert(client_has(&c, "[GET /last ]"));
	cr_assert_eq(s->gone, 0);
	client_close(&c);
	site_close(s);
}

Test(http_faults, drops_a_request_that_was_cut)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

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

Test(http_faults, reports_a_client_that_disconnects_before_its_answer)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, site_one_waits, s);
	client_reset(&c);
	drive(s->loop, one_gone, s);
	site_close(s);
}

Test(http_faults, drops_a_connection_without_a_word)
{
	struct site *s = site_open();
	struct client c = site_visit(s);

	cr_assert(client_say(&c, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, site_one_waits, s);
	http_drop(s->conns[0]);
	cr_assert(client_expect_end(&c));
	cr_assert_str_empty(client_text(&c));
	cr_assert_eq(s->gone, 0);
	client_close(&c);
	site_close(s);
}

static void free_on_gone(struct http_conn *conn, void *arg)
{
	struct site *s = arg;

	site_on_gone(conn, arg);
	http_server_free(&s->server);
}

Test(http_faults, may_be_freed_when_a_client_disconnects)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.on_gone = free_on_gone;
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_say(&c, "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, site_one_waits, s);
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

Test(http_faults, may_be_freed_inside_its_handler)
{
	struct site *s = site_new();
	struct client c;

	s->cfg.on_request = free_on_request;
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_say(&c, GET GET));
	(void)client_expect_end(&c);
	cr_assert_eq(s->requests, 1);
	cr_assert_eq(s->gone, 1);
	client_close(&c);
	site_close(s);
}

Test(http_faults, reports_every_request_without_an_answer)
{
	struct site *s = site_open();
	struct client a = site_visit(s), b = site_visit(s);
	struct client idle = site_visit(s);

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

static bool wrote_much(void *arg)
{
	struct site *s = arg;

	return s->requests > 0;
}

/* Would end the process by SIGPIPE. */
Test(http_faults, survives_a_reset_in_the_middle_of_an_answer)
{
	struct site *s = site_open();

	s->large = xcalloc(1, SITE_LARGE);
	for (unsigned i = 0; i < 20; i++) {
		struct client c = site_visit(s);

		s->requests = 0;
		cr_assert(client_say(&c, "GET /large HTTP/1.1\r\nHost: a\r\n"
					 "\r\n"));
		drive(s->loop, wrote_much, s);
		client_reset(&c);
		drive_for(s->loop, 3);
	}
	site_close(s);
}

/* A few bytes now and then do not buy time without an end. */
Test(http_faults, ends_an_answer_that_is_read_too_slowly)
{
	enum { RATE = 64 * 1024 * 1024 }; /* 4 MiB in 62 ms */
	struct site *s = site_new();
	struct client c;
	char text[512];

	s->cfg.answer_timeout_ms = 40;
	s->cfg.answer_rate_min = RATE;
	s->large = xcalloc(1, SITE_LARGE);
	site_listen(s);
	c = site_visit(s);
	cr_assert(client_say(&c, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n"));
	for (unsigned i = 0; i < 20; i++) {
		(void)recv(c.fd, text, sizeof text, 0);
		drive_for(s->loop, 10);
	}
	(void)client_want(&c, SITE_LARGE);
	cr_assert_lt(buf_len(&c.in), SITE_LARGE);
	client_close(&c);
	site_close(s);
}

/* A client whose request is answered, and whose connection stays open. */
static struct client answered_client(struct site *s)
{
	struct client c = site_visit(s);

	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	return c;
}

Test(http_faults, makes_room_at_its_limit)
{
	struct site *s = site_new();
	struct client later, idle, fresh;

	s->cfg.connections_max = 2;
	site_listen(s);
	later = site_visit(s);
	cr_assert(client_say(&later,
			     "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"));
	drive(s->loop, site_one_waits, s);
	idle = answered_client(s);
	fresh = answered_client(s);
	cr_assert(client_expect_end(&idle));
	site_say(s->conns[0], "late");
	cr_assert(client_expect(&later, "late"));
	client_close(&later);
	client_close(&idle);
	client_close(&fresh);
	site_close(s);
}

/* An answer that is being read is not cut while another connection is idle. */
Test(http_faults, closes_an_idle_connection_before_an_answer_ends)
{
	struct site *s = site_new();
	struct client reader, idle, fresh;

	s->cfg.connections_max = 2;
	s->large = xcalloc(1, SITE_LARGE);
	site_listen(s);
	reader = site_visit(s);
	cr_assert(client_say(&reader, "GET /large HTTP/1.1\r\nHost: a\r\n"
				      "\r\n"));
	drive(s->loop, wrote_much, s);
	idle = answered_client(s);
	fresh = answered_client(s);
	cr_assert(client_expect_end(&idle));
	cr_expect(client_want(&reader, SITE_LARGE));
	client_close(&reader);
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

Test(http_faults, does_not_spin_without_descriptors)
{
	struct site *s = site_open();
	struct client waiting = site_visit(s), more = site_visit(s);
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

enum { CROWD = 10 };

struct crowd {
	struct client all[CROWD];
	bool refused[CROWD];
};

static unsigned count_refused(struct crowd *crowd)
{
	unsigned n = 0;

	for (size_t i = 0; i < CROWD; i++) {
		char text[16];
		ssize_t got = crowd->refused[i] ? 0 :
			      recv(crowd->all[i].fd, text, sizeof text,
				   MSG_DONTWAIT);

		/* a client that sends behind the answer may be reset */
		if ((got > 12 && memcmp(text, "HTTP/1.1 503", 12) == 0) ||
		    (got < 0 && errno == ECONNRESET))
			crowd->refused[i] = true;
		n += crowd->refused[i];
	}
	return n;
}

/* 67,108,864 bytes hold eight of them */
static bool all_but_eight_are_refused(void *arg)
{
	return count_refused(arg) >= CROWD - 8;
}

/* Many large bodies that do not end share 64 MiB; a small one gets through. */
Test(http_faults, limits_the_memory_of_all_bodies)
{
	enum { PART = 8000000 };
	struct site *s = site_open();
	struct crowd crowd = { 0 };
	struct client small;
	char *part = xcalloc(1, PART);

	for (size_t i = 0; i < CROWD; i++) {
		struct client *c = &crowd.all[i];

		*c = site_visit(s);
		cr_assert(client_say(c, "POST / HTTP/1.1\r\nHost: a\r\n"
					"Content-Length: 8388608\r\n"
					"\r\n"));
		(void)client_send(c, part, PART);
	}
	/* sent data may still wait in a socket */
	drive(s->loop, all_but_eight_are_refused, &crowd);
	small = site_visit(s);
	cr_assert(client_say(&small, GET));
	cr_assert(client_expect(&small, "[GET / ]"));
	cr_assert_eq(count_refused(&crowd), CROWD - 8);
	for (size_t i = 0; i < CROWD; i++)
		client_close(&crowd.all[i]);
	client_close(&small);
	free(part);
	site_close(s);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A connection of many requests, with an owner that answers at once or later,
 * and a mount for bodies from a ring. */
#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "worker/deliver/mount.h"
#include "worker/deliver/ring_send.h"
#include "worker/deliver/viewer_conn.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"
#define HEAD(path) "HEAD " path " HTTP/1.1\r\nHost: x\r\n\r\n"

enum {
	PACKETS = 200,
	/* of the body of held_client() */
	HELD_FIRST = 30000,
	HELD_END = 60000,
};

struct owner {
	struct ring_copy copy;
	struct rig rig;
	struct mount *mount;
	int listener;
	struct viewer_conn *conn; /* NULL: it has ended */
	struct viewer_conn_config cfg;
	bool later; /* paths are answered by answer() */
	char path[64]; /* of the last request */
	unsigned n_requests, n_idle;
};

/* /text and others: their path.  /none: 204.  /ring/FROM/TO: packets. */
static void answer(struct owner *o)
{
	struct viewer_answer a = { .status = 200, .body = o->path,
				   .len = strlen(o->path) };
	uint64_t from, to;

	if (strcmp(o->path, "/none") == 0)
		a = (struct viewer_answer){ .status = 204 };
	if (sscanf(o->path, "/ring/%lu/%lu", &from, &to) == 2)
		a = (struct viewer_answer){
			.status = 200,
			.headers = "Content-Type: video/mp2t\r\n",
			.mount = o->mount,
			.start = from * RING_PACKET,
			.end = to * RING_PACKET,
		};
	if (strcmp(o->path, "/missing") == 0)
		viewer_conn_reject(o->conn, 404);
	else
		viewer_conn_answer(o->conn, &a);
}

static void on_request(struct viewer_conn *c, const struct http_request *r,
		       void *arg)
{
	struct owner *o = arg;

	cr_assert_eq(c, o->conn);
	o->n_requests++;
	(void)snprintf(o->path, sizeof o->path, "%s", http_request_path(r));
	if (!o->later)
		answer(o);
}

static void on_idle(struct viewer_conn *c, void *arg)
{
	(void)c;
	((struct owner *)arg)->n_idle++;
}

static void on_end(struct viewer_conn *c, void *arg)
{
	struct owner *o = arg;

	o->conn = NULL;
	viewer_conn_free(&c);
}

static int on_tls(int fd, void *arg)
{
	(void)fd, (void)arg;
	return -ENOTCONN;
}

static const struct viewer_conn_events events = {
	.on_request = on_request,
	.on_tls = on_tls,
	.on_idle = on_idle,
	.on_end = on_end,
};

static void owner_init(struct owner *o, size_t ring_size)
{
	static const struct lag_kernel kernel = { 4 << 20, 6 << 20 };
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof in;
	int err;

	memset(o, 0, sizeof *o);
	rig_init(&o->rig, ring_size);
	o->mount = mount_new(
		&(struct mount_config){
			.loop = o->rig.loop,
			.name = &(struct msg_deliver_mount){
				.address = RIG_ADDRESS, .path = "/a",
				.stream = "a001" },
			.ring_fd = fd_reopen_readonly(o->rig.ring_fd),
			.now_ms = mono_ms(),
			.kernel = &kernel,
			.copy = &o->copy,
		},
		&err);
	cr_assert_not_null(o->mount);
	o->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(bind(o->listener, (struct sockaddr *)&in, len), 0);
	cr_assert_eq(listen(o->listener, 1), 0);
	cr_assert_eq(getsockname(o->listener, (struct sockaddr *)&in, &len),
		     0);
	o->rig.port = ntohs(in.sin_port);
	o->cfg = (struct viewer_conn_config){
		.loop = o->rig.loop,
		.address = RIG_ADDRESS,
		.head_ms = RIG_NEVER_MS,
		.idle_ms = RIG_NEVER_MS,
		.answer_ms = RIG_NEVER_MS,
		.answer_rate = 1,
		.events = &events,
		.arg = o,
	};
}

static void owner_done(struct owner *o)
{
	viewer_conn_free(&o->conn);
	mount_free(&o->mount);
	(void)close(o->listener);
	rig_done(&o->rig);
}

/* Accepts a client that has sent text. */
static int client_of(struct owner *o, const char *text)
{
	int fd = rig_request(&o->rig, text);

	o->cfg.fd = accept4(o->listener, NULL, NULL,
			    SOCK_CLOEXEC | SOCK_NONBLOCK);
	cr_assert_geq(o->cfg.fd, 0);
	o->conn = viewer_conn_new(&o->cfg);
	return fd;
}

/* A client that has received the head of a long body, and reads no further. */
static int held_client(struct owner *o, unsigned answer_ms,
		       unsigned answer_rate)
{
	char head[1024];
	int fd;

	owner_init(o, 16 << 20);
	rig_write(&o->rig, HELD_END);
	o->cfg.answer_ms = answer_ms;
	o->cfg.answer_rate = answer_rate;
	fd = client_of(o, GET("/ring/30000/60000"));
	rig_read_head(&o->rig, fd, head, sizeof head);
	return fd;
}

static void say(int fd, const char *text)
{
	cr_assert_eq(send(fd, text, strlen(text), 0), (ssize_t)strlen(text));
}

static void expect_head(struct owner *o, int fd, unsigned status, size_t len)
{
	char head[1024], line[64];
	unsigned got = 0;

	rig_read_head(&o->rig, fd, head, sizeof head);
	cr_assert_eq(sscanf(head, "HTTP/1.1 %u ", &got), 1, "%s", head);
	cr_assert_eq(got, status, "%s", head);
	(void)snprintf(line, sizeof line, "\r\nContent-Length: %zu\r\n", len);
	cr_assert_eq(strstr(head, line) != NULL, status != 204, "%s", head);
	cr_assert_not_null(strstr(head, "\r\nDate: "));
}

static void expect_text(struct owner *o, int fd, const char *text)
{
	char body[64] = "";

	expect_head(o, fd, 200, strlen(text));
	rig_read(&o->rig, fd, body, strlen(text));
	cr_assert_str_eq(body, text);
}

static void expect_ring(struct owner *o, int fd, uint64_t from, uint64_t to)
{
	uint64_t pos = from * RING_PACKET;

	expect_head(o, fd, 200, (to - from) * RING_PACKET);
	rig_read_packets(&o->rig, fd, &pos, to - from);
}

static bool has_ended(void *arg)
{
	struct owner *o = arg;

	if (o->mount != NULL)
		mount_feed(o->mount, mono_ms());
	return o->conn == NULL;
}

static bool is_asked(void *arg)
{
	struct owner *o = arg;

	return o->conn->state == CONN_ASKED;
}

Test(viewer_conn, answers_many_requests_of_one_connection)
{
	struct owner o;
	int fd;

	owner_init(&o, 1);
	fd = client_of(&o, GET("/1"));
	expect_text(&o, fd, "/1");
	for (unsigned i = 0; i < 50; i++) {
		say(fd, GET("/text?a=b"));
		expect_text(&o, fd, "/text");
	}
	cr_assert_eq(o.n_requests, 51);
	cr_assert_eq(o.n_idle, 51);
	(void)close(fd);
	rig_until(&o.rig, has_ended, &o);
	owner_done(&o);
}

Test(viewer_conn, answers_pipelined_requests_in_order)
{
	struct owner o;
	int fd;

	owner_init(&o, 1);
	rig_write(&o.rig, PACKETS);
	fd = client_of(&o, GET("/1") HEAD("/22") GET("/ring/1/100")
			       GET("/ring/50/200") GET("/none") GET("/3"));
	/* the tick is that of the test */
	expect_text(&o, fd, "/1");
	expect_head(&o, fd, 200, 3);
	expect_ring(&o, fd, 1, 100);
	rig_turn(&o.rig, 1);
	mount_feed(o.mount, mono_ms());
	expect_ring(&o, fd, 50, 200);
	rig_turn(&o.rig, 1);
	mount_feed(o.mount, mono_ms());
	expect_head(&o, fd, 204, 0);
	expect_text(&o, fd, "/3");
	cr_assert_eq(o.n_requests, 6);
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, accepts_requests_byte_by_byte)
{
	struct owner o;
	int fd;

	owner_init(&o, 1);
	fd = client_of(&o, GET("/1"));
	expect_text(&o, fd, "/1");
	for (const char *c = GET("/2") GET("/3"); *c != '\0'; c++) {
		cr_assert_eq(send(fd, c, 1, 0), 1);
		ev_run(o.rig.loop, EVRUN_ONCE);
	}
	expect_text(&o, fd, "/2");
	expect_text(&o, fd, "/3");
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, closes_when_no_request_may_follow)
{
	static const char *const last[] = {
		"GET /1 HTTP/1.0\r\n\r\n",
		"GET /1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		/* a body that nobody reads */
		"GET /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n12345",
	};

	for (size_t i = 0; i < ARRAY_LEN(last); i++) {
		struct owner o;
		char byte;
		int fd;

		owner_init(&o, 1);
		fd = client_of(&o, last[i]);
		expect_text(&o, fd, "/1");
		rig_turn(&o.rig, 1);
		cr_assert_eq(recv(fd, &byte, 1, 0), 0, "%zu", i);
		(void)close(fd);
		rig_until(&o.rig, has_ended, &o);
		owner_done(&o);
	}
}

Test(viewer_conn, waits_for_an_answer_and_reads_no_more_than_it_keeps)
{
	static char flood[256 * 1024];
	struct owner o;
	int fd;

	owner_init(&o, 1);
	o.later = true;
	fd = client_of(&o, GET("/1") GET("/2"));
	memset(flood, 'x', sizeof flood);
	(void)send(fd, flood, sizeof flood, 0);
	rig_until(&o.rig, is_asked, &o);
	rig_turn(&o.rig, 20);
	cr_assert_leq(o.conn->in.size, 4096);
	cr_assert_eq(o.n_requests, 1);
	o.later = false;
	answer(&o);
	expect_text(&o, fd, "/1");
	expect_text(&o, fd, "/2");
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, ends_when_the_client_leaves_before_the_answer)
{
	struct owner o;
	int fd;

	owner_init(&o, 1);
	o.later = true;
	fd = client_of(&o, GET("/1"));
	rig_until(&o.rig, is_asked, &o);
	(void)close(fd);
	rig_until(&o.rig, has_ended, &o);
	cr_assert_eq(o.n_idle, 0);
	owner_done(&o);
}

Test(viewer_conn, limits_the_time_of_idle_clients_and_later_heads)
{
	struct owner o;
	char byte;
	int fd;

	owner_init(&o, 1);
	o.cfg.idle_ms = 50;
	fd = client_of(&o, GET("/1"));
	expect_text(&o, fd, "/1");
	rig_until(&o.rig, has_ended, &o);
	cr_assert_eq(recv(fd, &byte, 1, 0), 0);
	(void)close(fd);

	o.cfg.idle_ms = RIG_NEVER_MS;
	o.cfg.head_ms = 50;
	fd = client_of(&o, GET("/1"));
	expect_text(&o, fd, "/1");
	say(fd, "GET /2 HT");
	expect_head(&o, fd, 408, strlen("Request Timeout\n"));
	(void)close(fd);
	rig_until(&o.rig, has_ended, &o);
	owner_done(&o);
}

Test(viewer_conn, reads_a_request_that_waits_before_it_judges_the_time)
{
	struct owner o;
	ev_tstamp over;
	int fd;

	owner_init(&o, 1);
	o.cfg.head_ms = 1;
	fd = client_of(&o, GET("/1"));
	/* the loop has no turn before the time is over */
	over = ev_time() + 0.002;
	while (ev_time() < over)
		continue;
	expect_text(&o, fd, "/1");
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, disconnects_a_client_that_reads_too_slowly)
{
	struct owner o;
	int fd = held_client(&o, 50, 1 << 30);

	rig_until(&o.rig, has_ended, &o);
	cr_assert_eq(o.mount->cut, 0, "the writer did not end it");
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, no_byte_that_the_writer_overwrites_is_received)
{
	struct owner o;
	uint64_t pos = HELD_FIRST * RING_PACKET;
	int fd = held_client(&o, RIG_NEVER_MS, 1);

	rig_turn(&o.rig, 5);
	/* the client stops reading; the writer goes on until the cut */
	while (o.conn != NULL) {
		rig_write(&o.rig, 500);
		mount_feed(o.mount, mono_ms());
		ev_run(o.rig.loop, EVRUN_ONCE);
	}
	/* every packet that it reads now is right */
	cr_assert_neq(rig_read_to_end(&o.rig, fd, &pos), 0);
	cr_assert_lt(pos, HELD_END * RING_PACKET);
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, resets_when_the_mount_of_its_body_ends)
{
	struct owner o;
	uint64_t pos = HELD_FIRST * RING_PACKET;
	int fd = held_client(&o, RIG_NEVER_MS, 1);

	mount_free(&o.mount);
	rig_until(&o.rig, has_ended, &o);
	cr_assert_eq(rig_read_to_end(&o.rig, fd, &pos), -ECONNRESET);
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, an_acknowledged_body_needs_the_ring_no_more)
{
	struct owner o;
	int fd;

	owner_init(&o, 16 << 20);
	rig_write(&o.rig, PACKETS);
	fd = client_of(&o, GET("/ring/0/200"));
	expect_ring(&o, fd, 0, PACKETS);
	rig_turn(&o.rig, 1);
	/* a range that is far from the writer waits for some passes */
	mount_feed(o.mount, mono_ms());
	cr_assert_eq(o.mount->n_bodies, 1);
	for (unsigned i = 0; i < 20; i++)
		mount_feed(o.mount, mono_ms());
	cr_assert_eq(o.mount->n_bodies, 0);
	/* two laps of the writer do not concern the client */
	rig_write(&o.rig, 200000);
	mount_feed(o.mount, mono_ms());
	say(fd, GET("/2"));
	expect_text(&o, fd, "/2");
	(void)close(fd);
	owner_done(&o);
}

/* As above, but the writer comes near before the client was asked. */
Test(viewer_conn, an_acknowledged_body_is_released_before_the_writer_comes)
{
	struct owner o;
	int fd;

	owner_init(&o, 16 << 20);
	rig_write(&o.rig, PACKETS);
	fd = client_of(&o, GET("/ring/0/200"));
	expect_ring(&o, fd, 0, PACKETS);
	rig_turn(&o.rig, 1);
	rig_write(&o.rig, 200000);
	mount_feed(o.mount, mono_ms());
	cr_assert_eq(o.mount->n_bodies, 0);
	cr_assert_eq(o.mount->cut, 0);
	say(fd, GET("/2"));
	expect_text(&o, fd, "/2");
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, a_client_over_tls_gets_copies)
{
	struct owner o;
	int fd;

	owner_init(&o, 16 << 20);
	rig_write(&o.rig, PACKETS);
	fd = client_of(&o, GET("/ring/0/200"));
	o.conn->secure = true;
	expect_ring(&o, fd, 0, PACKETS);
	/* without a pass: the ring is not needed */
	cr_assert_eq(o.mount->n_bodies, 0);
	cr_assert_eq(o.conn->state, CONN_READING);
	(void)close(fd);
	owner_done(&o);
}

Test(viewer_conn, errors_end_the_connection)
{
	static const struct {
		const char *request;
		unsigned status;
		size_t len;
	} cases[] = {
		{ GET("/missing"), 404, sizeof "Not Found" },
		{ "NONSENSE\r\n\r\n", 400, sizeof "Bad Request" },
		{ "GET /1\r\n\r\n", 400, sizeof "Bad Request" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct owner o;
		char body[64];
		int fd;

		owner_init(&o, 1);
		fd = client_of(&o, GET("/1"));
		expect_text(&o, fd, "/1");
		say(fd, cases[i].request);
		say(fd, GET("/2"));
		expect_head(&o, fd, cases[i].status, cases[i].len);
		rig_read(&o.rig, fd, body, cases[i].len);
		rig_turn(&o.rig, 1);
		cr_assert_leq(recv(fd, body, 1, 0), 0, "no further answer");
		(void)close(fd);
		rig_until(&o.rig, has_ended, &o);
		cr_assert_leq(o.n_requests, 2);
		owner_done(&o);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The HTTP answers for viewers. */
#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/util.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET_A "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

static bool has_line(const char *head, const char *line)
{
	char whole[128];

	(void)snprintf(whole, sizeof whole, "\r\n%s\r\n", line);
	return strstr(head, whole) != NULL;
}

static unsigned status_of(const char *head)
{
	unsigned status = 0;

	cr_assert_eq(sscanf(head, "HTTP/1.1 %u ", &status), 1, "%s", head);
	return status;
}

/* Reads a whole error and the end of the connection; its status. */
static unsigned read_refusal(struct rig *r, int fd, char *head, size_t size)
{
	char body[128] = "";
	size_t len = 0;
	uint64_t pos = 0;
	const char *at;

	rig_read_head(r, fd, head, size);
	at = strstr(head, "Content-Length: ");
	cr_assert_not_null(at, "%s", head);
	len = strtoul(at + strlen("Content-Length: "), NULL, 10);
	cr_assert_lt(len, sizeof body);
	rig_read(r, fd, body, len);
	cr_assert_eq(rig_read_to_end(r, fd, &pos), 0);
	cr_assert_eq(pos, 0, "nothing behind the body");
	return status_of(head);
}

Test(deliver_http, sends_a_stream_without_length)
{
	static const char *const requests[] = {
		GET_A,
		"GET /a HTTP/1.0\r\n\r\n",
		"GET /a?session=1 HTTP/1.1\r\nHost: x\r\n"
		"User-Agent: VLC/3.0\r\nRange: bytes=0-\r\n"
		"Connection: keep-alive\r\n\r\n",
		"GET /%61 HTTP/1.1\r\nHost: x\r\n\r\n",
	};
	struct rig r;
	char head[1024];

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 5);
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		int fd = rig_request(&r, requests[i]);
		uint64_t pos = 0;

		rig_read_head(&r, fd, head, sizeof head);
		cr_assert_eq(status_of(head), 200, "%s", head);
		cr_assert(has_line(head, "Content-Type: video/mp2t"));
		cr_assert(has_line(head, "Cache-Control: no-cache"));
		cr_assert(has_line(head, "Access-Control-Allow-Origin: *"));
		cr_assert(has_line(head, "Connection: close"));
		cr_assert_not_null(strstr(head, "\r\nDate: "));
		cr_assert_null(strstr(head, "Content-Length"));
		cr_assert_null(strstr(head, "Transfer-Encoding"));
		rig_read_packets(&r, fd, &pos, 5);
		(void)close(fd);
	}
	rig_await_viewers(&r, 0);
	rig_done(&r);
}

Test(deliver_http, answers_head_with_the_head_only)
{
	struct rig r;
	char head[1024];
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 5);
	fd = rig_request(&r, "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n");
	rig_read_head(&r, fd, head, sizeof head);
	cr_assert_eq(status_of(head), 200);
	cr_assert(has_line(head, "Content-Type: video/mp2t"));
	cr_assert_eq(rig_read_to_end(&r, fd, &pos), 0);
	cr_assert_eq(pos, 0);
	cr_assert_eq(deliver_status(r.deliver).viewers, 0);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_http, rejects_other_paths_and_methods)
{
	static const struct {
		const char *request;
		unsigned status;
	} cases[] = {
		{ "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 404 },
		{ "GET /b HTTP/1.1\r\nHost: x\r\n\r\n", 404 },
		{ "GET /a/ HTTP/1.1\r\nHost: x\r\n\r\n", 404 },
		{ "GET /A HTTP/1.1\r\nHost: x\r\n\r\n", 404 },
		{ "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
		  404 },
		{ "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n"
		  "abc", 405 },
		{ "DELETE /a HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
		{ "OPTIONS /a HTTP/1.1\r\nHost: x\r\n\r\n", 405 },
		{ "GET /a HTTP/1.1\r\n\r\n", 400 },
		{ "GET /../a HTTP/1.1\r\nHost: x\r\n\r\n", 400 },
		{ "GET /a HTTP/1.1\nHost: x\n\n", 400 },
		{ "\x16\x03\x01 this is TLS\r\n\r\n", 400 },
	};
	struct rig r;
	char head[1024];

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 5);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int fd = rig_request(&r, cases[i].request);

		cr_assert_eq(read_refusal(&r, fd, head, sizeof head),
			     cases[i].status, "case %zu: %s", i, head);
		cr_assert(has_line(head, "Connection: close"));
		cr_assert_eq(has_line(head, "Allow: GET, HEAD"),
			     cases[i].status == 405);
		(void)close(fd);
	}
	cr_assert_eq(deliver_status(r.deliver).viewers, 0);
	rig_done(&r);
}

Test(deliver_http, a_rejected_head_request_gets_no_body)
{
	struct rig r;
	char head[1024];
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	fd = rig_request(&r, "HEAD /b HTTP/1.1\r\nHost: x\r\n\r\n");
	rig_read_head(&r, fd, head, sizeof head);
	cr_assert_eq(status_of(head), 404);
	cr_assert_eq(rig_read_to_end(&r, fd, &pos), 0);
	cr_assert_eq(pos, 0);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_http, limits_the_head)
{
	static char request[40000];
	struct rig r;
	char head[1024];
	int fd;

	rig_init(&r, 1);
	(void)strcpy(request, "GET /a HTTP/1.1\r\nHost: x\r\nX: ");
	memset(request + strlen(request), 'y', 30000);
	fd = rig_request(&r, request);
	rig_read_head(&r, fd, head, sizeof head);
	cr_assert_eq(status_of(head), 431);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_http, accepts_a_head_byte_by_byte)
{
	struct rig r;
	char head[1024];
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 5);
	fd = rig_connect(&r);
	for (const char *c = GET_A; *c != '\0'; c++) {
		cr_assert_eq(send(fd, c, 1, 0), 1);
		rig_turn(&r, 0);
	}
	rig_read_head(&r, fd, head, sizeof head);
	rig_read_packets(&r, fd, &pos, 5);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_http, times_out_on_a_head_without_end)
{
	struct rig r;
	char head[1024];
	uint64_t began = mono_ms();
	int fd;

	rig_init_with(&r, 1, &(struct deliver_config){ .head_ms = 100 });
	fd = rig_request(&r, "GET /a HTTP/1.1\r\nHost");
	cr_assert_eq(read_refusal(&r, fd, head, sizeof head), 408);
	cr_assert_geq(mono_ms() - began, 90);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_http, answers_503_above_the_limit_of_connections)
{
	struct rig r;
	char head[1024];
	int viewers[2];
	int fd;

	rig_init_with(&r, 1, &(struct deliver_config){ .max_conns = 2 });
	for (size_t i = 0; i < ARRAY_LEN(viewers); i++) {
		viewers[i] = rig_request(&r, GET_A);
		rig_read_head(&r, viewers[i], head, sizeof head);
		cr_assert_eq(status_of(head), 200);
	}
	fd = rig_request(&r, GET_A);
	cr_assert_eq(read_refusal(&r, fd, head, sizeof head), 503);
	(void)close(fd);

	/* a place that is free again is given again */
	(void)close(viewers[0]);
	rig_await_viewers(&r, 1);
	rig_turn(&r, 3 * RIG_TICK_MS);
	fd = rig_request(&r, GET_A);
	rig_read_head(&r, fd, head, sizeof head);
	cr_assert_eq(status_of(head), 200);
	(void)close(fd);
	(void)close(viewers[1]);
	rig_done(&r);
}

/* The lowest free descriptor. */
static int next_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	cr_assert_geq(fd, 0);
	(void)close(fd);
	return fd;
}

static void limit_descriptors(int n)
{
	struct rlimit limit;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = (rlim_t)n;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

Test(deliver_http, pauses_without_descriptors)
{
	struct rig r;
	char head[1024];
	uint64_t pos = 0, began;
	int waiting, next;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 5);
	waiting = rig_request(&r, GET_A);
	next = next_descriptor();
	limit_descriptors(next);
	/* the listener is all that turns the loop: it tries at once, rests,
	 * tries, rests */
	ev_timer_stop(r.loop, &r.pulse);
	began = mono_ms();
	for (int i = 0; i < 10; i++)
		ev_run(r.loop, EVRUN_ONCE);
	cr_assert_geq(mono_ms() - began, 400);
	ev_timer_start(r.loop, &r.pulse);

	limit_descriptors(next + 1);
	rig_read_head(&r, waiting, head, sizeof head);
	cr_assert_eq(status_of(head), 200);
	rig_read_packets(&r, waiting, &pos, 5);
	(void)close(waiting);
	rig_done(&r);
}

/* A question between two messages would have the old id. */
Test(deliver_http, a_play_path_gets_its_new_id_with_its_name)
{
	struct msg_deliver_mount play = rig_name("/play/a001", "a001");
	struct msg_deliver_viewers report;
	bool found = false;
	size_t cursor = 0;
	struct rig rig;

	rig_init(&rig, RING_UNIT);
	play.address = MSG_PLAY_ADDRESS;
	rig_mount(&rig, &play);
	deliver_move(rig.deliver, &(struct msg_deliver_move){
		.from = "/play/a001", .to = "/play/b002", .stream = "b002" });
	while (deliver_next_change(rig.deliver, &cursor, &report)) {
		cr_assert_str_neq(report.path, "/play/a001");
		if (strcmp(report.path, "/play/b002") != 0)
			continue;
		cr_assert_str_eq(report.stream, "b002");
		found = true;
	}
	cr_assert(found);
	rig_done(&rig);
}

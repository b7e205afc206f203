/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/units.h"
#include "worker/net/curl/fetch.h"

#include <criterion/criterion.h>
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	TICK_MS = 10,
	RATE = 1000,            /* bytes a millisecond: 8 Mbit/s */
	PLENTY_MS = 1000,       /* buffered */
	SETTLE_MS = 1000,
	WATCH_MS = 2000,
	PIECES_A_SECOND = 8,
	TOO_MUCH = 8 << 20,     /* bytes that a paused transfer may hold */
	ROOM = 300000,
	SEND_BUFFER = 128 * 1024,
	REAL_MS = 3,            /* real duration of a tick */
	ASK_MS = 30000,
};

/* A server and a client in one thread, with simulated time. */
struct bench {
	int listens, peer;
	const char *header;     /* of the response; NULL: none */
	uint64_t now_ns;
	uint64_t sent, came;
	uint64_t room;          /* bytes that the client still accepts */
	unsigned pieces;        /* turns that received something */
	struct http_spec spec;
	struct fetcher *fetcher;
	struct fetch *fetch;
};

static enum fetch_taken on_data(const uint8_t *data, size_t len, void *arg)
{
	struct bench *b = arg;

	if (b->room < len)
		return FETCH_NO_ROOM;
	for (size_t i = 0; i < len; i++)
		cr_assert_eq(data[i], (uint8_t)((b->came + i) / 1000));
	b->room -= len;
	b->came += len;
	return FETCH_TAKEN;
}

static void listen_at(struct bench *b)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof at;
	const int on = 1, little = SEND_BUFFER;

	b->listens = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	(void)setsockopt(b->listens, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	(void)setsockopt(b->listens, SOL_SOCKET, SO_SNDBUF, &little,
			 sizeof little);
	cr_assert_eq(bind(b->listens, (struct sockaddr *)&at, len), 0);
	cr_assert_eq(listen(b->listens, 1), 0);
	cr_assert_eq(getsockname(b->listens, (struct sockaddr *)&at, &len), 0);
	(void)snprintf(b->spec.url, sizeof b->spec.url, "http://127.0.0.1:%u/",
		       ntohs(at.sin_port));
	b->spec.timeout_s = 10;
}

static void turn(struct bench *b, unsigned waiting_ms)
{
	uint64_t before = b->came;

	b->now_ns += TICK_MS * MS;
	fetcher_turn(b->fetcher, b->now_ns, waiting_ms * MS);
	b->pieces += b->came > before;
}

/* Reads the request and ignores it. */
static bool answer(struct bench *b)
{
	char request[2048], reply[256];
	int len = snprintf(reply, sizeof reply, "HTTP/1.1 200 OK\r\n%s\r\n",
			   b->header != NULL ? b->header : "");

	if (b->peer < 0)
		b->peer = accept4(b->listens, NULL, NULL, SOCK_NONBLOCK);
	if (b->peer < 0 || recv(b->peer, request, sizeof request, 0) <= 0)
		return false;
	cr_assert_eq(send(b->peer, reply, (size_t)len, 0), len);
	return true;
}

static void setup_with(struct bench *b, const char *header, bool media)
{
	struct errmsg error;
	int err = 0;

	*b = (struct bench){ .peer = -1, .now_ns = 1000 * MS,
			     .room = UINT64_MAX, .header = header };
	(void)curl_global_init(CURL_GLOBAL_DEFAULT);
	listen_at(b);
	b->fetcher = fetcher_new(&b->spec, &err, &error);
	cr_assert_not_null(b->fetcher);
	b->fetch = fetch_new(b->fetcher, &(struct fetch_request){
		.url = b->spec.url, .on_data = on_data, .arg = b,
		.is_media = media,
	}, &err, &error);
	cr_assert_not_null(b->fetch);
	for (unsigned ms = 0; !answer(b); ms++) {
		cr_assert(ms < ASK_MS, "no request");
		turn(b, 0);
		(void)usleep(1000);
	}
}

static void setup(struct bench *b)
{
	setup_with(b, NULL, false);
}

static void done(struct bench *b)
{
	fetch_free(&b->fetch);
	fetcher_free(&b->fetcher);
	(void)close(b->peer);
	(void)close(b->listens);
}

/* Sends as many of len bytes as the connection accepts. */
static size_t serve(struct bench *b, size_t len)
{
	static uint8_t bytes[1 << 16];
	ssize_t n;

	len = MIN(len, sizeof bytes);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (uint8_t)((b->sent + i) / 1000);
	n = send(b->peer, bytes, len, MSG_NOSIGNAL);
	if (n < 0)
		return 0;
	b->sent += (uint64_t)n;
	return (size_t)n;
}

/* A live server that would drop data that it cannot send. */
static void run(struct bench *b, unsigned ms, unsigned waiting_ms)
{
	for (unsigned at = 0; at < ms; at += TICK_MS) {
		size_t n = serve(b, TICK_MS * RATE);

		cr_assert_eq(n, TICK_MS * RATE, "the sender is held up");
		/* the kernel acknowledges in real time */
		(void)usleep(REAL_MS * 1000);
		turn(b, waiting_ms);
	}
}

Test(fetch, reads_large_pieces_while_enough_is_buffered)
{
	struct bench b;

	setup(&b);
	run(&b, SETTLE_MS, PLENTY_MS);
	b.pieces = 0;
	run(&b, WATCH_MS, PLENTY_MS);
	cr_assert(b.pieces <= WATCH_MS / 1000 * PIECES_A_SECOND,
		  "%u pieces", b.pieces);
	cr_assert(b.came + FETCHER_LAZY_MS * 2 * RATE > b.sent);
	done(&b);
}

Test(fetch, reads_at_every_turn_when_little_is_buffered)
{
	struct bench b;

	setup(&b);
	run(&b, SETTLE_MS, PLENTY_MS);
	for (unsigned ms = 0; b.came < b.sent; ms++) {
		cr_assert(ms < ASK_MS, "%lu are missing",
			  (unsigned long)(b.sent - b.came));
		/* not later than the last turn */
		fetcher_turn(b.fetcher, b.now_ns, FETCHER_ENOUGH_MS / 2 * MS);
		(void)usleep(1000);
	}
	done(&b);
}

static void pause_and_resume(const char *header)
{
	struct bench b;
	uint64_t held;

	setup_with(&b, header, false);
	b.room = ROOM;
	for (unsigned ms = 0; ms < SETTLE_MS; ms += TICK_MS) {
		while (serve(&b, SIZE_MAX) > 0)
			;
		turn(&b, PLENTY_MS);
	}
	held = b.sent - b.came;
	cr_assert(fetch_is_paused(b.fetch));
	cr_assert(b.came <= ROOM);
	cr_assert(held < TOO_MUCH, "%lu", (unsigned long)held);

	/* nothing is lost or duplicated */
	b.room = UINT64_MAX;
	fetch_resume(b.fetch);
	for (unsigned ms = 0; b.came < b.sent; ms++) {
		cr_assert(ms < ASK_MS, "%lu are missing",
			  (unsigned long)(b.sent - b.came));
		turn(&b, 0);
		(void)usleep(1000);
	}
	done(&b);
}

Test(fetch, a_paused_transfer_loses_nothing)
{
	pause_and_resume(NULL);
}

/* Only gzip that was asked for is unpacked. */
Test(fetch, a_packed_file_may_pause)
{
	pause_and_resume("Content-Encoding: gzip\r\n");
}

Test(fetch, media_that_a_server_compresses_unasked_is_an_error)
{
	struct errmsg error;
	struct bench b;

	setup_with(&b, "Content-Encoding: gzip\r\n", true);
	cr_assert_gt(serve(&b, 1000), 0);
	for (unsigned ms = 0; fetch_state(b.fetch) == FETCH_RUNS; ms++) {
		cr_assert(ms < ASK_MS, "no error");
		turn(&b, 0);
		(void)usleep(1000);
	}
	cr_assert_eq(b.came, 0);
	cr_assert_eq(fetch_error(b.fetch, &error), -ENOTSUP);
	cr_assert_str_eq(error.text, "compressed streams are not supported: "
			 "the server sends Content-Encoding: gzip");
	done(&b);
}

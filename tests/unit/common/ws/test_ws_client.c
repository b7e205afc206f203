/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One WebSocket client on a socket that holds only a few KiB. */
#include "common/ws/ws_client.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "proto/wire/ws_frame.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SOCKET_SIZE = 4608, PIECE = 700, CHUNKS = 100 };

#define PING "\x81\x84\0\0\0\0ping"
#define OTHER "\x81\x81\0\0\0\0x"

struct bench {
	struct ev_loop *loop;
	struct ws_client *client;
	struct ws_chunk *last;
	size_t held;
	unsigned gone;
	int fd;   /* the client's end */
	int peer; /* the other */
	struct buf sent; /* all chunks, concatenated */
	struct buf got;  /* by the peer */
	bool eof;
};

static void on_gone(struct ws_client *client, void *arg)
{
	struct bench *b = arg;

	b->gone++;
	cr_assert_eq(client, b->client);
	ws_client_free(&b->client);
}

static struct bench bench_open(void)
{
	struct bench b = { .loop = ev_loop_new(EVFLAG_AUTO) };
	int fds[2], size = SOCKET_SIZE;

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds),
		     0);
	cr_assert_eq(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &size,
				sizeof size), 0);
	b.fd = fds[0];
	b.peer = fds[1];
	return b;
}

static void bench_start(struct bench *b)
{
	struct buf greeting = { 0 }, rest = { 0 };
	struct ws_client_config cfg = {
		.loop = b->loop,
		.fd = b->fd,
		.scope = HUB_EVENTS,
		.held = &b->held,
		.on_gone = on_gone,
		.arg = b,
	};

	b->client = ws_client_new(&cfg, &greeting, &rest);
}

static void bench_close(struct bench *b)
{
	ws_client_free(&b->client);
	ws_chunk_unref(&b->last);
	ev_loop_destroy(b->loop);
	fd_close(&b->peer);
	buf_done(&b->sent);
	buf_done(&b->got);
}

/* A chunk with one frame of len bytes that contain its number. */
static void push(struct bench *b, unsigned n, size_t len)
{
	struct ws_chunk *before = b->last;
	struct buf frames = { 0 };
	char *text = xcalloc(1, len);

	memset(text, 'a' + (int)(n % 26), len);
	ws_write_text(&frames, text, len);
	buf_append(&b->sent, buf_head(&frames), buf_len(&frames));
	b->last = ws_chunk_new(&frames, before);
	ws_chunk_unref(&before);
	ws_client_add(b->client, b->last);
	ws_client_flush(b->client);
	free(text);
}

static void peer_says(struct bench *b, const char *bytes, size_t len)
{
	cr_assert_eq(write(b->peer, bytes, len), (ssize_t)len);
	ev_run(b->loop, EVRUN_NOWAIT);
	ev_run(b->loop, EVRUN_NOWAIT);
}

/* One small piece. */
static void peer_reads(struct bench *b)
{
	ssize_t n = read(b->peer, buf_reserve(&b->got, PIECE), PIECE);

	if (n > 0)
		buf_added(&b->got, (size_t)n);
	b->eof = n == 0 || (n < 0 && errno != EAGAIN);
	ev_run(b->loop, EVRUN_NOWAIT);
}

static void read_until(struct bench *b, size_t len)
{
	for (unsigned i = 0; buf_len(&b->got) < len && !b->eof; i++) {
		cr_assert_lt(i, 100000, "%zu of %zu bytes came",
			     buf_len(&b->got), len);
		peer_reads(b);
	}
}

Test(ws_client, misses_nothing_when_it_catches_up)
{
	struct bench b = bench_open();

	bench_start(&b);
	for (unsigned i = 0; i < CHUNKS; i++) {
		push(&b, i, (i * 7919) % 9000 + 1);
		if (i % 3 == 0)
			peer_reads(&b);
	}
	cr_assert_gt(buf_len(&b.sent), 400000);
	read_until(&b, buf_len(&b.sent));
	cr_assert_eq(buf_len(&b.got), buf_len(&b.sent));
	cr_assert_eq(memcmp(buf_head(&b.got), buf_head(&b.sent),
			    buf_len(&b.sent)), 0);
	cr_assert_eq(b.gone, 0);
	bench_close(&b);
}

/* Takes whole frames off b->got: pongs are counted, the others must be the
 * chunks in their order. */
static unsigned sort_frames(struct bench *b)
{
	unsigned pongs = 0;

	while (buf_len(&b->got) > 0) {
		const uint8_t *p = buf_head(&b->got);
		size_t len = 2U + p[1];

		if (p[1] == 126)
			len = 4 + ((size_t)p[2] << 8 | p[3]);
		cr_assert_leq(len, buf_len(&b->got));
		if (len == 6 && memcmp(p + 2, "pong", 4) == 0) {
			pongs++;
		} else {
			cr_assert_leq(len, buf_len(&b->sent));
			cr_assert_eq(memcmp(p, buf_head(&b->sent), len), 0);
			buf_take(&b->sent, len);
		}
		buf_take(&b->got, len);
	}
	return pongs;
}

Test(ws_client, answers_between_frames_never_inside)
{
	struct bench b = bench_open();
	size_t all;

	bench_start(&b);
	for (unsigned i = 0; i < CHUNKS; i++) {
		push(&b, i, (i * 7919) % 9000 + 200);
		if (i % 2 == 0)
			peer_says(&b, PING, sizeof PING - 1);
		peer_reads(&b);
	}
	all = buf_len(&b.sent) + CHUNKS / 2 * 6;
	read_until(&b, all);
	cr_assert_eq(buf_len(&b.got), all);
	cr_assert_eq(sort_frames(&b), CHUNKS / 2);
	cr_assert_eq(buf_len(&b.sent), 0);
	bench_close(&b);
}

Test(ws_client, ends_the_frame_it_began_before_the_close)
{
	struct bench b = bench_open();
	size_t first;

	bench_start(&b);
	push(&b, 0, 50000);
	first = buf_len(&b.sent);
	push(&b, 1, 50000);
	peer_says(&b, OTHER, sizeof OTHER - 1);
	cr_assert_eq(ws_client_scope(b.client), HUB_NONE);
	read_until(&b, SIZE_MAX);
	cr_assert(b.eof);
	cr_assert_eq(buf_len(&b.got), first + 4);
	cr_assert_eq(memcmp(buf_head(&b.got), buf_head(&b.sent), first), 0);
	cr_assert_eq(memcmp(buf_head(&b.got) + first, "\x88\x02\x03\xf0", 4),
		     0);
	bench_close(&b);
}

Test(ws_client, sends_its_close_frame_if_the_socket_has_room)
{
	struct bench b = bench_open();

	bench_start(&b);
	push(&b, 0, 100);
	push(&b, 1, 50000);
	ws_client_close(b.client, WS_GOING_AWAY);
	ws_client_free(&b.client);
	read_until(&b, SIZE_MAX);
	/* the received data is the start of the sent data, without a close
	 * inside it */
	cr_assert_lt(buf_len(&b.got), buf_len(&b.sent));
	cr_assert_eq(memcmp(buf_head(&b.got), buf_head(&b.sent),
			    buf_len(&b.got)), 0);
	bench_close(&b);
}

Test(ws_client, is_freed_inside_its_own_last_call)
{
	struct bench b = bench_open();

	bench_start(&b);
	push(&b, 0, 50000);
	fd_close(&b.peer);
	for (unsigned i = 0; i < 100 && b.gone == 0; i++)
		ev_run(b.loop, EVRUN_NOWAIT);
	cr_assert_eq(b.gone, 1);
	cr_assert_null(b.client);
	cr_assert_eq(b.held, 0);
	bench_close(&b);
}

Test(ws_client, is_freed_when_a_push_finds_the_peer_disconnected)
{
	struct bench b = bench_open();

	bench_start(&b);
	ev_run(b.loop, EVRUN_NOWAIT);
	fd_close(&b.peer);
	push(&b, 0, 100);
	cr_assert_eq(b.gone, 1);
	bench_close(&b);
}

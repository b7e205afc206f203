/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/page_pipe.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "tests/unit/worker/deliver/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FILE_SIZE = 4 << 20, AT = 5 * 188, LEN = 300 * 188 };

static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i ^ i >> 8 ^ i >> 16);
}

/* A file in memory in which each byte depends on its position. */
static int make_file(void)
{
	uint8_t *data = xcalloc(1, FILE_SIZE);
	int fd = memfd_create("pages", MFD_CLOEXEC);

	for (size_t i = 0; i < FILE_SIZE; i++)
		data[i] = byte_at(i);
	cr_assert_eq(write(fd, data, FILE_SIZE), FILE_SIZE);
	free(data);
	return fd;
}

static void make_sockets(int pair[2])
{
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair),
		     0);
}

/* Reads all bytes of the socket, which are those from at on; their number. */
static size_t read_all(int fd, size_t at)
{
	uint8_t block[4096];
	size_t got = 0;
	ssize_t n;

	while ((n = read(fd, block, sizeof block)) > 0)
		for (ssize_t i = 0; i < n; i++, got++)
			cr_assert_eq(block[i], byte_at(at + got));
	return got;
}

Test(page_pipe, gives_every_socket_the_same_bytes)
{
	struct page_pipe p = { 0 };
	int fd = make_file(), pair[2];

	for (size_t pass = 0; pass < 3; pass++) {
		size_t at = AT + pass * LEN;

		page_pipe_fill(&p, fd, (off_t)at, LEN);
		cr_assert_eq(p.len, LEN);
		for (int i = 0; i < 5; i++) {
			make_sockets(pair);
			cr_assert_eq(page_pipe_send(&p, pair[0]), LEN);
			cr_assert_eq(read_all(pair[1], at), LEN);
			fd_close(&pair[0]);
			fd_close(&pair[1]);
		}
		page_pipe_empty(&p);
		cr_assert_eq(p.len, 0);
	}
	page_pipe_done(&p);
	fd_close(&fd);
}

/* What a socket has got stays, whatever the pipe takes next. */
Test(page_pipe, a_copy_never_changes)
{
	enum { PASSES = 4, SOCKETS = 5 };
	static uint8_t data[LEN];
	int pairs[PASSES][SOCKETS][2];
	struct page_pipe p = { 0 };

	for (size_t pass = 0; pass < PASSES; pass++) {
		for (size_t i = 0; i < LEN; i++)
			data[i] = byte_at(pass * LEN + i);
		/* in two parts */
		cr_assert(page_pipe_copy(&p, data, AT));
		cr_assert(page_pipe_copy(&p, data + AT, LEN - AT));
		cr_assert_eq(p.len, LEN);
		for (size_t i = 0; i < SOCKETS; i++) {
			make_sockets(pairs[pass][i]);
			cr_assert_eq(page_pipe_send(&p, pairs[pass][i][0]),
				     LEN);
		}
		page_pipe_empty(&p);
		cr_assert_eq(p.len, 0);
	}
	for (size_t pass = 0; pass < PASSES; pass++)
		for (size_t i = 0; i < SOCKETS; i++) {
			cr_assert_eq(read_all(pairs[pass][i][1], pass * LEN),
				     LEN);
			fd_close(&pairs[pass][i][0]);
			fd_close(&pairs[pass][i][1]);
		}
	page_pipe_done(&p);
}

Test(page_pipe, a_full_or_closed_socket_does_not_disturb_the_next)
{
	struct page_pipe p = { 0 };
	int fd = make_file(), full[2], closed[2], good[2];
	ssize_t n, sent = 0;

	(void)signal(SIGPIPE, SIG_IGN); /* as in a worker */
	make_sockets(full);
	make_sockets(closed);
	make_sockets(good);
	fd_close(&closed[1]);
	page_pipe_fill(&p, fd, AT, LEN);
	while ((n = page_pipe_send(&p, full[0])) == LEN)
		sent += n;
	cr_assert(n > 0 || (n < 0 && errno == EAGAIN));
	cr_assert_lt(page_pipe_send(&p, full[0]), LEN);
	cr_assert_lt(page_pipe_send(&p, closed[0]), 0);
	cr_assert_eq(errno, EPIPE);
	cr_assert_eq(page_pipe_send(&p, good[0]), LEN);
	cr_assert_eq(read_all(good[1], AT), LEN);
	page_pipe_done(&p);
	page_pipe_done(&p);
	fd_close(&full[0]);
	fd_close(&full[1]);
	fd_close(&closed[0]);
	fd_close(&good[0]);
	fd_close(&good[1]);
	fd_close(&fd);
}

Test(page_pipe, takes_no_more_than_a_pipe_holds)
{
	const uint8_t packet[188] = { 0x47 };
	struct page_pipe p = { 0 };
	int fd = make_file();

	page_pipe_fill(&p, fd, 0, FILE_SIZE);
	cr_assert_gt(p.len, 0);
	cr_assert_lt(p.len, FILE_SIZE);
	page_pipe_fill(&p, fd, AT, 188);
	cr_assert_eq(p.len, 188);
	while (page_pipe_copy(&p, packet, sizeof packet))
		cr_assert_lt(p.len, FILE_SIZE);
	page_pipe_empty(&p);
	cr_assert(page_pipe_copy(&p, packet, sizeof packet));
	cr_assert_eq(p.len, sizeof packet);
	page_pipe_done(&p);
	fd_close(&fd);
}

/* Viewers at the same position share the pages of a pass. */
Test(page_pipe, sends_every_byte_once_to_many_viewers)
{
	enum { VIEWERS = 8, BATCH = 397, BATCHES = 120, LATE = 10 };
	struct rig r;
	uint64_t pos[VIEWERS] = { 0 }, all = 0;
	int fds[VIEWERS];

	rig_init(&r, 20 * RING_UNIT);
	rig_mark(&r);
	rig_write(&r, 1);
	for (unsigned i = 0; i < VIEWERS; i++)
		fds[i] = rig_join(&r);
	rig_await_viewers(&r, VIEWERS);
	for (unsigned i = 0; i < VIEWERS; i++)
		rig_read_packets(&r, fds[i], &pos[i], 1);
	for (unsigned i = 1; i <= BATCHES; i++) {
		rig_write(&r, BATCH);
		for (unsigned k = 1; k < VIEWERS; k++)
			rig_read_packets(&r, fds[k], &pos[k], BATCH);
		/* its socket fills in between */
		if (i % LATE == 0)
			rig_read_packets(&r, fds[0], &pos[0], LATE * BATCH);
	}
	for (unsigned i = 0; i < VIEWERS; i++) {
		cr_assert_eq(pos[i], (1 + BATCHES * BATCH) * RING_PACKET);
		all += pos[i];
		(void)close(fds[i]);
	}
	cr_assert_eq(deliver_status(r.deliver).bytes, all);
	cr_assert_eq(deliver_status(r.deliver).cut, 0);
	rig_done(&r);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What viewers receive, and which viewers are disconnected. */
#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"
#include "worker/deliver/lag.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET_A "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"

enum { PACKETS_PER_UNIT = RING_UNIT / RING_PACKET };

static int unread(int fd)
{
	int n = 0;

	cr_assert_eq(ioctl(fd, SIOCINQ, &n), 0);
	return n;
}

Test(deliver_feed, starts_at_the_last_random_access_point)
{
	struct rig r;
	uint64_t pos;
	int fd;

	rig_init(&r, 1);
	rig_write(&r, 10);
	rig_mark(&r);
	rig_write(&r, 10);
	rig_mark(&r);
	rig_write(&r, 10);
	fd = rig_join(&r);
	pos = 20 * RING_PACKET;
	rig_read_packets(&r, fd, &pos, 10);
	rig_write(&r, 3);
	rig_read_packets(&r, fd, &pos, 3);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, waits_for_the_first_random_access_point)
{
	struct rig r;
	uint64_t pos = 20 * RING_PACKET;
	int fd;

	rig_init(&r, 1);
	rig_write(&r, 10);
	fd = rig_join(&r); /* the head arrives at once */
	rig_write(&r, 10);
	rig_turn(&r, 5 * RIG_TICK_MS);
	cr_assert_eq(unread(fd), 0);
	rig_mark(&r);
	rig_write(&r, 10);
	rig_read_packets(&r, fd, &pos, 10);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, starts_live_without_a_random_access_point)
{
	struct rig r;
	uint64_t pos;
	int fd;

	rig_init_with(&r, 1, &(struct deliver_config){ .start_ms = 100 });
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_turn(&r, 50);
	cr_assert_eq(unread(fd), 0);
	rig_turn(&r, 100);
	cr_assert_eq(unread(fd), 0, "nothing from before");
	rig_write(&r, 10);
	pos = 10 * RING_PACKET;
	rig_read_packets(&r, fd, &pos, 10);
	(void)close(fd);
	rig_done(&r);
}

/* The last picture is older than the pause.  The first packets after the pause
 * belong to no picture. */
Test(deliver_feed, sends_nothing_older_than_a_pause)
{
	struct rig r;
	uint64_t pos = 40 * RING_PACKET;
	int fd;

	rig_init_with(&r, 1, &(struct deliver_config){ .still_ms = 20,
						       .start_ms = 3000 });
	rig_mark(&r);
	rig_write(&r, 20);
	deliver_every_second(r.deliver);
	rig_turn(&r, 30);
	deliver_every_second(r.deliver);
	fd = rig_join(&r);
	rig_turn(&r, 3100); /* no picture is waited for in a pause */
	cr_assert_eq(unread(fd), 0);
	for (int i = 0; i < 2; i++) {
		rig_write(&r, 10);
		rig_turn(&r, 2 * RIG_TICK_MS);
		cr_assert_eq(unread(fd), 0);
	}
	rig_mark(&r);
	rig_write(&r, 10);
	rig_read_packets(&r, fd, &pos, 10);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, sends_nothing_older_than_a_pause_during_which_it_was_mounted)
{
	struct rig r;
	int fd;

	rig_init_with(&r, 1, &(struct deliver_config){ .still_ms = 20 });
	rig_mark(&r);
	rig_write(&r, 20);
	rig_remount(&r);
	rig_turn(&r, 30);
	deliver_every_second(r.deliver);
	fd = rig_join(&r);
	rig_write(&r, 10);
	rig_turn(&r, 5 * RIG_TICK_MS);
	cr_assert_eq(unread(fd), 0);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, starts_at_the_last_picture_of_a_stream_that_continues)
{
	struct rig r;
	uint64_t pos = 0;
	int fd;

	rig_init_with(&r, 1, &(struct deliver_config){ .still_ms = 20 });
	rig_mark(&r);
	rig_write(&r, 20);
	rig_remount(&r);
	rig_turn(&r, 30);
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_read_packets(&r, fd, &pos, 30);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, starts_only_where_the_viewer_can_keep_up)
{
	struct rig r;
	uint64_t pos;
	int fd;

	rig_init(&r, 4 * RING_UNIT);
	rig_mark(&r);
	rig_write(&r, 3 * PACKETS_PER_UNIT);
	fd = rig_join(&r);
	rig_turn(&r, 5 * RIG_TICK_MS);
	cr_assert_eq(unread(fd), 0);
	pos = ring_writer_pos(r.writer);
	rig_mark(&r);
	rig_write(&r, 10);
	rig_read_packets(&r, fd, &pos, 10);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, sends_every_byte_once_over_many_laps)
{
	enum { BATCH = 97, BATCHES = 120 }; /* about eleven laps */
	struct rig r;
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 1);
	fd = rig_join(&r);
	rig_read_packets(&r, fd, &pos, 1);
	for (unsigned i = 0; i < BATCHES; i++) {
		rig_write(&r, BATCH);
		rig_read_packets(&r, fd, &pos, BATCH);
	}
	cr_assert_gt(pos, 10 * RING_UNIT);
	cr_assert_eq(deliver_status(r.deliver).bytes, pos);
	cr_assert_eq(deliver_status(r.deliver).cut, 0);
	(void)close(fd);
	rig_done(&r);
}

/* The limits that deliver computes for a ring. */
static struct lag expected_lag(size_t ring_size)
{
	struct lag_kernel kernel;
	struct lag lag;

	lag_kernel_read(&kernel);
	lag_init(&lag, ring_size, 0, &kernel);
	return lag;
}

/* A viewer that reads nothing has acknowledged what its socket has received.
 * It stays while the writer is at most `limit` past that, is disconnected at
 * the next pass, and has received only right bytes. */
Test(deliver_feed, disconnects_a_slow_viewer_exactly_at_the_limit)
{
	enum { STEP = 16, NEAR = 256 * RING_PACKET };
	const size_t size = 20 * RING_UNIT;
	const struct lag lag = expected_lag(size);
	struct rig r;
	uint64_t pos = 0, acknowledged = 0, lead = 0;
	int fd;

	rig_init_with(&r, size, &(struct deliver_config){ .pages = true });
	rig_mark(&r);
	rig_write(&r, 1);
	fd = rig_join(&r);
	while (deliver_status(r.deliver).cut == 0) {
		cr_assert_leq(lead, lag.limit, "should have been cut");
		/* large steps first, then small ones for a sharp edge */
		rig_write(&r, lead + NEAR < lag.limit ? NEAR / RING_PACKET / 2
						      : STEP);
		rig_turn(&r, 2 * RIG_TICK_MS);
		lead = ring_writer_pos(r.writer) - acknowledged;
		if (deliver_status(r.deliver).cut > 0)
			break;
		acknowledged = (uint64_t)unread(fd);
		lead = ring_writer_pos(r.writer) - acknowledged;
	}
	cr_assert_gt(lead, lag.limit, "was cut too early");
	cr_assert_eq(deliver_status(r.deliver).viewers, 0);
	cr_assert_eq(deliver_status(r.deliver).cut, 1);
	cr_assert_eq(rig_read_to_end(&r, fd, &pos), -ECONNRESET);
	cr_assert_gt(pos, 0);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, a_slow_viewer_does_not_delay_the_others)
{
	enum { BATCH = 500 };
	const size_t size = 10 * RING_UNIT;
	struct rig r;
	uint64_t pos = 0;
	int slow, quick;

	rig_init(&r, size);
	rig_mark(&r);
	rig_write(&r, 1);
	slow = rig_join(&r);
	quick = rig_join(&r);
	rig_read_packets(&r, quick, &pos, 1);
	while (pos < 4 * size) {
		rig_write(&r, BATCH);
		rig_read_packets(&r, quick, &pos, BATCH);
	}
	cr_assert_eq(deliver_status(r.deliver).cut, 1);
	cr_assert_eq(deliver_status(r.deliver).viewers, 1);
	(void)close(slow);
	(void)close(quick);
	rig_done(&r);
}

Test(deliver_feed, notices_a_viewer_that_leaves_a_silent_stream)
{
	struct rig r;
	int a, b;

	rig_init(&r, 1);
	a = rig_join(&r);
	b = rig_join(&r);
	rig_await_viewers(&r, 2);
	(void)close(a);
	rig_await_viewers(&r, 1);
	(void)close(b);
	rig_await_viewers(&r, 0);
	rig_done(&r);
}

Test(deliver_feed, disconnects_a_viewer_that_sends_too_much)
{
	static char chatter[100 * 1024];
	struct rig r;
	int fd;

	rig_init(&r, 1);
	fd = rig_join(&r);
	rig_await_viewers(&r, 1);
	cr_assert_gt(send(fd, chatter, sizeof chatter, 0), 64 * 1024);
	rig_await_viewers(&r, 0);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, continues_with_a_successor_of_the_writer)
{
	struct rig r;
	uint64_t pos = 0;
	size_t room;
	int fd, err = 0;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_read_packets(&r, fd, &pos, 10);
	/* half a batch, not published */
	memset(ring_room(r.writer, &room), 0xee, 5 * RING_PACKET);
	ring_commit(r.writer, 5);
	ring_writer_free(&r.writer);
	rig_turn(&r, 3 * RIG_TICK_MS);
	r.writer = ring_writer_new(r.ring_fd, &err);
	cr_assert_not_null(r.writer);
	rig_write(&r, 10);
	rig_read_packets(&r, fd, &pos, 10);
	(void)close(fd);
	rig_done(&r);
}

static void poke_pos(struct rig *r, uint64_t value)
{
	enum { AT_POS = 64 }; /* common/base/ring.c */

	cr_assert_eq(pwrite(r->ring_fd, &value, sizeof value, AT_POS),
		     (ssize_t)sizeof value);
}

Test(deliver_feed, disconnects_the_viewers_of_an_invalid_ring)
{
	struct rig r;
	struct msg_deliver_mount name = rig_name("/a", "a001");
	char head[1024];
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_read_packets(&r, fd, &pos, 10);
	poke_pos(&r, 7);
	cr_assert_eq(rig_read_to_end(&r, fd, &pos), -ECONNRESET);
	(void)close(fd);
	fd = rig_request(&r, GET_A);
	rig_read_head(&r, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, " 503 "), "%s", head);
	(void)close(fd);

	/* the writer continues at another position */
	poke_pos(&r, 3 * RING_PACKET);
	fd = rig_join(&r);
	(void)close(fd);

	/* a sound ring in its place heals it too */
	poke_pos(&r, 7);
	cr_assert_eq(deliver_mount(r.deliver, &name, ring_create(1, 0)), 0);
	fd = rig_join(&r);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, a_position_far_ahead_is_no_harm)
{
	struct rig r;
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_read_packets(&r, fd, &pos, 10);
	poke_pos(&r, (uint64_t)INT64_MAX / RING_PACKET * RING_PACKET);
	rig_turn(&r, 5 * RIG_TICK_MS);
	cr_assert_eq(deliver_status(r.deliver).viewers, 1);
	(void)close(fd);
	rig_await_viewers(&r, 0);
	rig_done(&r);
}

Test(deliver_feed, unmount_closes_and_unlisten_does_not)
{
	struct rig r;
	struct msg_deliver_mount name = rig_name("/a", "a001");
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_read_packets(&r, fd, &pos, 5);
	rig_unlisten(&r);
	rig_write(&r, 5);
	rig_read_packets(&r, fd, &pos, 10);

	rig_write(&r, 5);
	rig_turn(&r, 3 * RIG_TICK_MS);
	deliver_unmount(r.deliver, &name);
	/* the viewer gets its bytes before the end */
	cr_assert_eq(rig_read_to_end(&r, fd, &pos), 0);
	cr_assert_eq(pos, 20 * RING_PACKET);
	cr_assert_eq(deliver_status(r.deliver).viewers, 0);
	cr_assert_eq(deliver_status(r.deliver).bytes, 20 * RING_PACKET);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_feed, another_ring_closes_and_the_same_does_not)
{
	struct rig r;
	struct msg_deliver_viewers v;
	size_t cursor = 0;
	struct msg_deliver_mount name = rig_name("/a", "a001");
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	rig_mark(&r);
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_mount(&r, &name);
	rig_write(&r, 5);
	rig_read_packets(&r, fd, &pos, 15);
	cr_assert(deliver_next_change(r.deliver, &cursor, &v));
	cr_assert_eq(v.viewers, 1);
	cr_assert_eq(deliver_mount(r.deliver, &name, ring_create(1, 0)), 0);
	cr_assert_eq(rig_read_to_end(&r, fd, &pos), 0);
	(void)close(fd);
	/* the path keeps its counters and reports 0 viewers */
	cursor = 0;
	cr_assert(deliver_next_change(r.deliver, &cursor, &v));
	cr_assert_eq(v.viewers, 0);
	cr_assert_eq(v.bytes, 15 * RING_PACKET);
	cr_assert_eq(deliver_status(r.deliver).bytes, 15 * RING_PACKET);
	rig_done(&r);
}

Test(deliver_feed, rejects_a_descriptor_that_is_no_ring)
{
	struct rig r;
	struct msg_deliver_mount name = rig_name("/b", "a002");
	int fds[2];

	rig_init(&r, 1);
	cr_assert_eq(pipe(fds), 0);
	cr_assert_lt(deliver_mount(r.deliver, &name, fds[0]), 0);
	/* it was not taken */
	cr_assert_eq(close(fds[0]), 0);
	(void)close(fds[1]);
	rig_done(&r);
}

Test(deliver_feed, reports_each_change_once)
{
	struct rig r;
	struct msg_deliver_viewers v;
	size_t cursor = 0;
	uint64_t pos = 0;
	int fd;

	rig_init(&r, 1);
	cr_assert_not(deliver_next_change(r.deliver, &cursor, &v));
	rig_mark(&r);
	rig_write(&r, 10);
	fd = rig_join(&r);
	rig_read_packets(&r, fd, &pos, 10);
	cursor = 0;
	cr_assert(deliver_next_change(r.deliver, &cursor, &v));
	cr_assert_str_eq(v.address, RIG_ADDRESS);
	cr_assert_str_eq(v.path, "/a");
	cr_assert_str_eq(v.stream, "a001");
	cr_assert_eq(v.viewers, 1);
	cr_assert_eq(v.bytes, pos);
	cr_assert_eq(v.cut, 0);
	cr_assert_not(deliver_next_change(r.deliver, &cursor, &v));
	cursor = 0;
	cr_assert_not(deliver_next_change(r.deliver, &cursor, &v));
	(void)close(fd);
	rig_await_viewers(&r, 0);
	cursor = 0;
	cr_assert(deliver_next_change(r.deliver, &cursor, &v));
	cr_assert_eq(v.viewers, 0);
	rig_done(&r);
}

/* Viewers connect and leave; those that stay lose no packet. */
Test(deliver_feed, viewers_connect_and_leave)
{
	enum { SLOTS = 40, ROUNDS = 400 };
	struct rig r;
	struct {
		int fd;
		uint64_t pos;
	} slots[SLOTS];
	uint64_t mark = 0;

	srand(1);
	rig_init(&r, RING_SIZE_DEFAULT);
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i].fd = -1;
	for (unsigned round = 0; round < ROUNDS; round++) {
		unsigned i = (unsigned)rand() % SLOTS;

		if (round % 10 == 0) {
			mark = ring_writer_pos(r.writer);
			rig_mark(&r);
		}
		rig_write(&r, 1 + (unsigned)rand() % 50);
		if (slots[i].fd < 0) {
			slots[i].fd = rig_join(&r);
			slots[i].pos = mark;
		} else if (rand() % 2) {
			fd_close(&slots[i].fd);
		}
		i = (unsigned)rand() % SLOTS;
		if (slots[i].fd >= 0)
			rig_read_packets(&r, slots[i].fd, &slots[i].pos,
					 (ring_writer_pos(r.writer) -
					  slots[i].pos) / RING_PACKET);
	}
	for (unsigned i = 0; i < SLOTS; i++)
		fd_close(&slots[i].fd);
	rig_await_viewers(&r, 0);
	cr_assert_eq(deliver_status(r.deliver).cut, 0);
	rig_done(&r);
}

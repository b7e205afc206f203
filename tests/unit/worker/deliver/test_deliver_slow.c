/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many viewers on one ring, of every speed for several laps: some keep up, some
 * are disconnected, none receives a wrong byte. */
#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"
#include "common/base/ring_segment.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
	VIEWERS = 24,
	ROUNDS = 600,
	BATCH = 200, /* packets in a round */
	LAPS = 5,
};

struct reader {
	int fd;
	unsigned speed; /* packets it may read in a round */
	uint64_t pos;
};

static void join(struct rig *r, struct reader *reader)
{
	char head[1024];

	reader->fd = rig_request(r, "GET /a HTTP/1.0\r\n\r\n");
	rig_read_head(r, reader->fd, head, sizeof head);
	cr_assert_not_null(strstr(head, " 200 "), "%s", head);
}

static bool is_reset(int fd)
{
	struct pollfd p = { .fd = fd };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP));
}

/* Reads at its own speed; false after it was disconnected. */
static bool read_some(struct rig *r, struct reader *reader)
{
	size_t want = (unsigned)rand() % (2 * reader->speed + 1);
	int there = 0;

	if (is_reset(reader->fd)) {
		cr_assert_eq(rig_read_to_end(r, reader->fd, &reader->pos),
			     -ECONNRESET);
		fd_close(&reader->fd);
		return false;
	}
	cr_assert_eq(ioctl(reader->fd, FIONREAD, &there), 0);
	rig_read_packets(r, reader->fd, &reader->pos,
			 MIN(want, (size_t)there / RING_PACKET));
	return true;
}

static void race(bool pages)
{
	struct reader readers[VIEWERS] = { 0 };
	struct rig r;
	unsigned left = VIEWERS;

	srand(2);
	rig_init_with(&r, (size_t)ROUNDS * BATCH * RING_PACKET / LAPS,
		      &(struct deliver_config){ .pages = pages });
	rig_mark(&r);
	rig_write(&r, 1);
	for (unsigned i = 0; i < VIEWERS; i++) {
		/* from a quarter of the rate of the writer to twice it */
		readers[i].speed = BATCH / 4 + BATCH * 7 / 4 * i / VIEWERS;
		join(&r, &readers[i]);
	}
	for (unsigned round = 0; round < ROUNDS; round++) {
		rig_write(&r, BATCH);
		if (round % 4 == 0)
			rig_turn(&r, RIG_TICK_MS);
		for (unsigned i = 0; i < VIEWERS; i++)
			if (readers[i].fd >= 0 && !read_some(&r, &readers[i]))
				left--;
	}
	cr_assert_eq(deliver_status(r.deliver).viewers, left);
	cr_assert_eq(deliver_status(r.deliver).cut, VIEWERS - left);
	/* the slowest is disconnected, the fastest is not */
	cr_assert_eq(readers[0].fd, -1);
	cr_assert_geq(readers[VIEWERS - 1].fd, 0);
	for (unsigned i = 0; i < VIEWERS; i++)
		fd_close(&readers[i].fd);
	rig_done(&r);
}

Test(deliver_slow, no_viewer_of_any_speed_gets_a_wrong_byte, .timeout = 90)
{
	race(false);
	race(true);
}

Test(deliver_slow, feeds_a_thousand_viewers, .timeout = 90)
{
	enum { MANY = 1000, WRITES = 10, PACKETS = 50 };
	static struct reader readers[MANY];
	struct rig r;

	rig_init(&r, 4 * RING_UNIT);
	rig_mark(&r);
	rig_write(&r, 1);
	for (unsigned i = 0; i < MANY; i++)
		join(&r, &readers[i]);
	rig_await_viewers(&r, MANY);
	for (unsigned i = 0; i < WRITES; i++)
		rig_write(&r, PACKETS);
	for (unsigned i = 0; i < MANY; i++) {
		rig_read_packets(&r, readers[i].fd, &readers[i].pos,
				 1 + WRITES * PACKETS);
		fd_close(&readers[i].fd);
	}
	rig_await_viewers(&r, 0);
	cr_assert_eq(deliver_status(r.deliver).bytes,
		     (uint64_t)MANY * (1 + WRITES * PACKETS) * RING_PACKET);
	rig_done(&r);
}

/* The writer replaces all bytes of the ring several times. */
static void write_laps(struct rig *r, size_t size)
{
	for (size_t done = 0; done < 3 * size; done += BATCH * RING_PACKET) {
		rig_write(r, BATCH);
		rig_turn(r, 1);
	}
}

/* Its socket has acknowledged bytes that it has not read. */
Test(deliver_slow, a_viewer_of_this_host_may_read_after_its_end, .timeout = 60)
{
	enum { SIZE = 4 * RING_UNIT, MOST = 6 /* they share a pipe */ };

	for (unsigned n = 1; n <= MOST; n += MOST - 1) {
		struct reader readers[MOST] = { 0 };
		struct rig r;

		rig_init(&r, SIZE);
		rig_mark(&r);
		rig_write(&r, 1);
		for (unsigned i = 0; i < n; i++)
			join(&r, &readers[i]);
		write_laps(&r, SIZE);
		cr_expect_eq(deliver_status(r.deliver).cut, n);
		for (unsigned i = 0; i < n; i++) {
			cr_expect_eq(rig_read_to_end(&r, readers[i].fd,
						     &readers[i].pos),
				     -ECONNRESET);
			cr_expect_gt(readers[i].pos, 0u);
			fd_close(&readers[i].fd);
		}
		rig_done(&r);
	}
}

Test(deliver_slow, a_segment_may_be_read_late_on_this_host, .timeout = 60)
{
	enum { SIZE = 4 * RING_UNIT, PACKETS = 200 };
	const struct msg_deliver_mount news = {
		.address = RIG_ADDRESS, .path = "/news.m3u8",
		.stream = "a001", .hls = 4
	};
	struct ring_segment s = { .number = 7, .wall_ms = 1000000 };
	struct ring_segment next = { .number = 8, .wall_ms = 1001000 };
	struct rig r;
	char head[1024];
	uint64_t pos = 0;
	int fd;

	rig_init(&r, SIZE);
	rig_mount(&r, &news);
	ring_segment_cut(r.writer, NULL, &s);
	rig_write(&r, PACKETS);
	s.end = next.pos = ring_writer_pos(r.writer);
	s.duration_ms = 1000;
	ring_segment_cut(r.writer, &s, &next);
	fd = rig_request(&r, "GET /news/7.ts HTTP/1.1\r\nHost: x\r\n\r\n");
	rig_read_head(&r, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, " 200 "), "%s", head);
	rig_turn(&r, RIG_TICK_MS);
	write_laps(&r, SIZE);
	rig_read_packets(&r, fd, &pos, PACKETS);
	fd_close(&fd);
	rig_done(&r);
}

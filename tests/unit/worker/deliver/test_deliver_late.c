/* SPDX-License-Identifier: GPL-3.0-or-later */
/* This process is late: viewers miss packets, but never a part of one. */
#include "tests/unit/worker/deliver/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PACKETS_PER_UNIT = RING_UNIT / RING_PACKET };

/* Begins with a viewer of a small ring, who has read seven packets. */
static int watch(struct rig *r, uint64_t *pos)
{
	int fd;

	rig_init(r, 4 * RING_UNIT);
	rig_mark(r);
	rig_write(r, 7);
	fd = rig_join(r);
	rig_read_packets(r, fd, pos, 7);
	return fd;
}

/* This process was delayed, not the viewer. */
Test(deliver_late, keeps_a_viewer_after_a_late_pass)
{
	struct rig r;
	uint64_t pos = 0;
	int fd;

	fd = watch(&r, &pos);
	rig_write(&r, 9 * PACKETS_PER_UNIT);
	rig_turn(&r, 2 * RIG_TICK_MS);
	rig_write(&r, 5); /* of no picture */
	pos = ring_writer_pos(r.writer);
	rig_mark(&r);
	rig_write(&r, 20);
	rig_read_packets(&r, fd, &pos, 20);
	cr_assert_eq(deliver_status(r.deliver).cut, 0);
	cr_assert_eq(deliver_status(r.deliver).viewers, 1);
	(void)close(fd);
	rig_done(&r);
}

static size_t waiting_bytes(int fd)
{
	int n = 0;

	cr_assert_eq(ioctl(fd, FIONREAD, &n), 0);
	return (size_t)n;
}

static bool has_bytes(void *arg)
{
	return waiting_bytes(*(int *)arg) > 0;
}

/* Reads packets, which are those from pos on and then the one at next; false:
 * the connection has ended in front of that one. */
static bool reaches(struct rig *r, int fd, uint64_t pos, uint64_t next)
{
	uint8_t packet[RING_PACKET];
	uint64_t at;

	do {
		size_t got = 0;

		while (got < sizeof packet) {
			ssize_t n = recv(fd, packet + got, sizeof packet - got,
					 0);

			if (n == 0 || (n < 0 && errno == ECONNRESET))
				return false;
			if (n < 0)
				rig_turn(r, RIG_TICK_MS);
			else
				got += (size_t)n;
		}
		memcpy(&at, packet + 4, sizeof at);
		cr_assert_eq(packet[0], 0x47, "torn behind %ju", pos);
		cr_assert(at == pos || at == next, "%ju behind %ju", at, pos);
		pos = at + RING_PACKET;
	} while (at != next);
	return true;
}

/* A portion ends inside a packet.  The viewer has its first part when this
 * process is late by so many units; ends: it is disconnected. */
static void be_late(unsigned units, bool ends)
{
	uint64_t pos = 0, next;
	struct rig r;
	int fd;

	fd = watch(&r, &pos);
	rig_write(&r, 340);
	rig_until(&r, has_bytes, &fd);
	rig_read_packets(&r, fd, &pos, waiting_bytes(fd) / RING_PACKET);
	rig_write(&r, units * PACKETS_PER_UNIT);
	next = ring_writer_pos(r.writer);
	rig_mark(&r);
	rig_write(&r, 20);
	/* on a busy machine it had the whole packet */
	if (!reaches(&r, fd, pos, next))
		cr_assert(ends && deliver_status(r.deliver).cut == 1);
	(void)close(fd);
	rig_done(&r);
}

Test(deliver_late, a_late_pass_completes_the_packet_of_a_viewer)
{
	be_late(3, false);
}

Test(deliver_late, a_viewer_whose_packet_is_lost_is_disconnected)
{
	be_late(9, true);
}

/* The bytes behind the viewer are gone although the new window is larger than
 * its delay. */
Test(deliver_late, moves_a_late_viewer_although_the_ring_has_grown)
{
	struct rig r;
	uint64_t pos = 0;
	int fd;

	fd = watch(&r, &pos);
	rig_write(&r, 9 * PACKETS_PER_UNIT);
	ring_grow(r.writer, 64 * RING_UNIT);
	rig_write(&r, 4 * PACKETS_PER_UNIT);
	cr_assert_geq(ring_writer_window(r.writer), 64 * RING_UNIT);
	pos = ring_writer_pos(r.writer);
	rig_mark(&r);
	rig_write(&r, 20);
	rig_read_packets(&r, fd, &pos, 20);
	cr_assert_eq(deliver_status(r.deliver).viewers, 1);
	(void)close(fd);
	rig_done(&r);
}

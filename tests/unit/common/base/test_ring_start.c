/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a reader begins that wants bytes from before the end. */
#include "common/base/fd.h"
#include "common/base/ring.h"

#include <criterion/criterion.h>

enum { GROUPS = 5, GROUP = 10 * RING_PACKET };

Test(ring_start, is_a_mark_that_is_far_enough_behind)
{
	static const struct {
		size_t behind;
		unsigned group; /* the mark in front of it */
	} cases[] = { { 0, 4 }, { GROUP, 4 }, { GROUP + 1, 3 },
		      { 2 * GROUP, 3 }, { 5 * GROUP, 0 }, { 5 * GROUP + 1, 0 },
		      { 1 << 20, 0 } };
	int err = 0, fd = ring_create(1, 0);
	struct ring_writer *writer = ring_writer_new(fd, &err);
	struct ring_reader *reader = ring_reader_new(fd, &err);
	static const uint8_t packets[GROUP];
	struct ring_rap rap;

	cr_assert(writer != NULL && reader != NULL);
	for (unsigned i = 0; i < GROUPS; i++) {
		ring_mark(writer, &(struct ring_rap){
			.pos = ring_writer_pos(writer) });
		ring_write(writer, packets, GROUP / RING_PACKET);
	}
	ring_publish(writer);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cr_assert(ring_reader_rap_behind(reader, 0, 0, cases[i].behind,
						 &rap));
		cr_assert_eq(rap.pos, cases[i].group * (uint64_t)GROUP, "%zu",
			     i);
	}
	/* nothing from before a pause */
	cr_assert(ring_reader_rap_behind(reader, 0, GROUP + RING_PACKET,
					 1 << 20, &rap));
	cr_assert_eq(rap.pos, 2 * GROUP);
	ring_reader_free(&reader);
	ring_writer_free(&writer);
	fd_close(&fd);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The segments of a stream whose process died. */
#include "common/base/alloc.h"
#include "tests/unit/worker/output/ring_hls_rig.h"

#include <unistd.h>

/* The process died in a segment, and another one began later. */
Test(ring_death, the_death_of_the_writer_is_no_time_of_its_segment)
{
	struct ring_segments list;
	struct ring_segment last;
	struct rig r;

	rig_init(&r);
	use_parts(&r, 0);
	live(&r, 0, 3000);
	use_parts(&r, 0);
	live(&r, 9000, 11500);
	last = newest(&r, &list);
	cr_assert_eq(list.n, 3);
	cr_assert_eq(list.list[1].duration_ms, 1000);
	cr_assert(list.list[1].stopped);
	cr_assert_eq(last.base, list.list[1].base + 1);
	cr_assert_eq(last.duration_ms, 2000);
	cr_assert_eq(list.target_s, 2);
	rig_done(&r);
}

/* As use_parts(), but the process dies: it ends nothing. */
static void die(struct rig *r)
{
	char *header = xmalloc(RING_DATA);

	cr_assert_eq(pread(r->fd, header, RING_DATA, 0), RING_DATA);
	ring_out_free(&r->out);
	cr_assert_eq(pwrite(r->fd, header, RING_DATA, 0), RING_DATA);
	free(header);
	use_parts(r, 0);
}

/* Its last picture is torn: players of HLS get what is in front of it. */
Test(ring_death, a_picture_in_which_the_writer_died_is_in_no_segment)
{
	struct ring_segments list;
	struct ring_segment last;
	uint64_t torn;
	struct rig r;
	bool ok;

	rig_init(&r);
	use_parts(&r, 0);
	live(&r, 0, 3480);
	torn = ring_reader_pos(r.reader, &ok);
	live(&r, 3480, 3520);
	die(&r);
	/* the successor enters at a random access point, a moment later */
	live(&r, 4000, 6500);
	last = newest(&r, &list);
	cr_assert_eq(list.n, 3);
	cr_assert(list.list[1].stopped);
	/* behind the PCR in front of it */
	cr_assert_eq(list.list[1].end, torn + TS_PACKET);
	cr_assert_eq(list.list[1].duration_ms, 1520);
	cr_assert_gt(list.list[2].pos, torn);
	cr_assert(list.list[2].independent);
	cr_assert_eq(list.list[2].base, list.list[1].base + 1);
	cr_assert_eq(last.base, list.list[2].base);
	/* one that ends by itself leaves whole pictures */
	use_parts(&r, 0);
	live(&r, 6500, 9500);
	(void)newest(&r, &list);
	for (size_t i = 3; i < list.n; i++)
		cr_assert_not(list.list[i].stopped);
	cr_assert_geq(list.n, 4);
	rig_done(&r);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups of pictures that are longer than the segments of HLS. */
#include "worker/output/ring_out.h"

#include "common/base/fd.h"
#include "common/base/ring_segment.h"
#include "common/base/units.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>

enum { VIDEO = 0x101, PICTURE_MS = 40 };

static const uint8_t idr[] = { 0, 0, 0, 1, 0x65, 0x88, 0x80, 0x10 };
static const uint8_t other[] = { 0, 0, 0, 1, 0x41, 0x9a, 0x80, 0x10 };

struct rig {
	int fd;
	struct psi *psi;
	struct ring_out *out;
	struct build *in;
	uint64_t ms;     /* of the stream */
	uint64_t rap_ms; /* of its last picture that decodes alone */
};

static void rig_init(struct rig *r, unsigned duration_ms)
{
	int err = 0;

	*r = (struct rig){ .fd = ring_create(16 * RING_UNIT, 0),
			   .psi = psi_new(), .in = build_new() };
	r->out = ring_out_new(r->fd, r->psi, &err);
	cr_assert_not_null(r->out);
	ring_out_set_hls(r->out,
			 &(struct ring_out_hls){ duration_ms, 4, 0 });
	build_tables(r->in);
	for (size_t i = 0; i < r->in->n; i++)
		(void)psi_feed(r->psi, build_packet(r->in, i));
}

static void rig_done(struct rig *r)
{
	ring_out_free(&r->out);
	psi_free(&r->psi);
	build_free(r->in);
	fd_close(&r->fd);
}

static uint64_t now_ns(const struct rig *r)
{
	return 5000 * MS + r->ms * MS;
}

/* A picture that decodes alone, and others for so long. */
static void write_group(struct rig *r, uint64_t ms)
{
	r->rap_ms = r->ms;
	for (uint64_t end = r->ms + ms; r->ms < end; r->ms += PICTURE_MS) {
		bool key = r->ms == r->rap_ms;
		struct pes_times at;
		struct ts_run run;
		uint8_t *p;

		r->in->n = 0;
		(void)build_pcr(r->in, VIDEO, r->ms * 27000);
		p = build_pes(r->in, VIDEO, key ? idr : other,
			      key ? sizeof idr : sizeof other);
		cr_assert(pes_times(p, &at));
		pes_set_time(p + at.pts, 90000 + r->ms * 90);
		run = build_run(r->in);
		ring_out_feed(r->out, &run, 1, now_ns(r));
	}
	ring_out_publish(r->out);
}

static uint32_t longest_group(const struct rig *r)
{
	return ring_out_longest_group(r->out);
}

Test(long_group, the_one_that_goes_on_counts)
{
	struct rig r;

	rig_init(&r, 2000);
	cr_assert_eq(longest_group(&r), 0);
	write_group(&r, 1000);
	write_group(&r, 1000);
	cr_assert_eq(longest_group(&r), 1000);
	write_group(&r, 6000);
	cr_assert_geq(longest_group(&r), 6000 - PICTURE_MS);
	write_group(&r, 400);
	cr_assert_eq(longest_group(&r), 6000);
	/* the last one ended with the stream */
	r.ms += 30000;
	cr_assert_eq(longest_group(&r), 6000);
	write_group(&r, 1000);
	write_group(&r, 40);
	cr_assert_eq(longest_group(&r), 1000);
	rig_done(&r);
}

/* Tables may still arrive, and the clock goes on. */
Test(long_group, the_time_of_an_outage_is_in_none)
{
	struct rig r;

	rig_init(&r, 2000);
	write_group(&r, 1000);
	write_group(&r, 1000);
	for (size_t tables = 0; tables < 2; tables++) {
		write_group(&r, 400);
		for (uint64_t end = r.ms + 16000; r.ms < end; r.ms += 100) {
			struct ts_run run;

			r.in->n = 0;
			build_tables(r.in);
			run = build_run(r.in);
			ring_out_feed(r.out, &run, tables, now_ns(&r));
			cr_assert_eq(longest_group(&r), 1000);
		}
		write_group(&r, 1000);
		cr_expect_eq(longest_group(&r), 1000);
		write_group(&r, 1000);
		cr_expect_eq(longest_group(&r), 1000);
	}
	/* but a group behind it counts */
	write_group(&r, 6000);
	cr_expect_geq(longest_group(&r), 6000 - PICTURE_MS);
	rig_done(&r);
}

Test(long_group, the_first_segment_decides_the_longest)
{
	struct rig r;

	rig_init(&r, 2000);
	write_group(&r, 4000);
	cr_assert_eq(ring_out_longest_segment(r.out), 0);
	write_group(&r, 400);
	/* the segment of 4 s; a second segment may be a little longer */
	cr_assert_geq(ring_out_longest_segment(r.out), 4000);
	cr_assert_lt(ring_out_longest_segment(r.out), 5000);
	rig_done(&r);
}

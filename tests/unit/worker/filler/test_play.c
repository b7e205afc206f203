/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/filler/play.h"

#include "common/base/units.h"

#include <criterion/criterion.h>

enum { VIDEO = 0x101, MPEG2 = 0x02, HZ = 90000 };

static void on_out(const struct ts_run *runs, size_t n_runs, void *arg)
{
	size_t *n = arg;

	for (size_t i = 0; i < n_runs; i++)
		*n += runs[i].n;
}

/* A part without audio, whose PCRs have a PID that is no part of it: nothing
 * is due until a picture may begin. */
Test(play, pictures_keep_their_interval_across_a_pause)
{
	static uint8_t data[1000] = { 0, 0, 1, 0xb3 };
	const struct picture_keeper picture = {
		.data = data, .len = sizeof data, .stream_id = 0xe0,
	};
	uint64_t now = 1000 * SECOND_NS, next;
	struct play *p = play_new_part(HZ, now);
	size_t n = 0, before;

	play_add_picture(p, &picture, VIDEO, MPEG2);
	/* the whole picture */
	while (n * (TS_PACKET - 4) < sizeof data) {
		now = play_next_ns(p);
		play_run(p, now, on_out, &n);
	}
	next = play_next_ns(p);
	cr_assert_gt(next, now);

	play_hold_pictures(p, true, now);
	cr_assert_eq(play_next_ns(p), UINT64_MAX);
	before = n;
	play_run(p, now, on_out, &n);
	cr_assert_eq(n, before);
	play_hold_pictures(p, false, now);
	cr_assert_eq(play_next_ns(p), next);
	play_free(&p);
}

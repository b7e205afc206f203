/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/hls_bases.h"

#include "common/base/ring_segment.h"
#include "common/base/wall.h"
#include "master/streams/stream_ring.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_S = 20, STEP = 10000, LEAD = 100000, MOST = 2000000 };

struct scene {
	struct ev_loop *loop;
	char folder[32], path[48];
	uint64_t now; /* the base of this time */
};

static void scene_init(struct scene *s)
{
	(void)snprintf(s->folder, sizeof s->folder, "/tmp/bases-XXXXXX");
	cr_assert_not_null(mkdtemp(s->folder));
	(void)snprintf(s->path, sizeof s->path, "%s/hls", s->folder);
	s->loop = ev_loop_new(EVFLAG_NOENV);
	s->now = ring_base_at(wall_ms() / 1000);
}

static void scene_done(struct scene *s)
{
	(void)unlink(s->path);
	cr_assert_eq(rmdir(s->folder), 0);
	ev_loop_destroy(s->loop);
}

Test(hls_bases, outlive_an_orderly_end)
{
	struct hls_bases *b;
	struct scene s;

	scene_init(&s);
	b = hls_bases_new(s.loop, s.path);
	cr_assert_eq(hls_bases_next(b), 0u, "the clock decides");
	hls_bases_note(b, s.now + 7, 0);
	hls_bases_note(b, s.now + 3, 0);
	cr_assert_eq(hls_bases_next(b), s.now + 8);
	hls_bases_free(&b);
	b = hls_bases_new(s.loop, s.path);
	cr_assert_eq(hls_bases_next(b), s.now + 8);
	hls_bases_free(&b);
	scene_done(&s);
}

static void on_late(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)timer, (void)revents;
	cr_assert_fail("no file was written for %d seconds", FILE_S);
}

static void await_file(struct scene *s)
{
	ev_timer late;

	ev_timer_init(&late, on_late, FILE_S, 0.);
	ev_timer_start(s->loop, &late);
	while (access(s->path, R_OK) < 0)
		ev_run(s->loop, EVRUN_ONCE);
	ev_timer_stop(s->loop, &late);
}

/* What a service that dies has written. */
Test(hls_bases, a_service_that_dies_had_written_greater_ones)
{
	struct hls_bases *b, *next;
	struct scene s;

	scene_init(&s);
	b = hls_bases_new(s.loop, s.path);
	hls_bases_note(b, s.now + 1, 0);
	await_file(&s);
	hls_bases_note(b, s.now + 9, 0);
	next = hls_bases_new(s.loop, s.path);
	cr_assert_gt(hls_bases_next(next), s.now + 9);
	hls_bases_free(&b);
	hls_bases_free(&next);
	scene_done(&s);
}

Test(hls_bases, a_worker_cannot_raise_them_without_limit)
{
	struct hls_bases *b;
	struct scene s;

	scene_init(&s);
	b = hls_bases_new(s.loop, s.path);
	hls_bases_note(b, RING_NUMBER_MAX, 0);
	cr_assert_eq(hls_bases_next(b), 0u);
	hls_bases_free(&b);
	cr_assert_lt(access(s.path, F_OK), 0, "there is nothing to keep");
	scene_done(&s);
}

/* The clock may reach the next number while a test runs: hence the 2. */
Test(hls_bases, a_worker_raises_them_by_limited_steps)
{
	struct hls_bases *b;
	struct scene s;

	scene_init(&s);
	b = hls_bases_new(s.loop, NULL);
	hls_bases_note(b, s.now + STEP + 2, 0);
	cr_assert_eq(hls_bases_next(b), 0u);
	hls_bases_note(b, s.now + STEP, 0);
	cr_assert_eq(hls_bases_next(b), s.now + STEP + 1);
	hls_bases_note(b, s.now + STEP + 1 + STEP + 1, 0);
	cr_assert_eq(hls_bases_next(b), s.now + STEP + 1);
	hls_bases_note(b, s.now + STEP + 1 + STEP, 0);
	cr_assert_eq(hls_bases_next(b), s.now + 2 * STEP + 2);
	hls_bases_free(&b);
	scene_done(&s);
}

Test(hls_bases, the_greatest_of_a_worker_outlives_a_start)
{
	struct hls_bases *b, *next;
	struct scene s;

	scene_init(&s);
	b = hls_bases_new(s.loop, s.path);
	for (unsigned lead = STEP; lead <= LEAD; lead += STEP)
		hls_bases_note(b, s.now + lead, 0);
	cr_assert_eq(hls_bases_next(b), s.now + LEAD + 1);
	hls_bases_note(b, s.now + LEAD + 2, 0);
	cr_assert_eq(hls_bases_next(b), s.now + LEAD + 1);
	/* a service that dies */
	await_file(&s);
	next = hls_bases_new(s.loop, s.path);
	cr_assert_gt(hls_bases_next(next), s.now);
	hls_bases_free(&next);
	hls_bases_free(&b);
	b = hls_bases_new(s.loop, s.path);
	cr_assert_eq(hls_bases_next(b), s.now + LEAD + 1);
	hls_bases_free(&b);
	scene_done(&s);
}

/* A second later the clock may decide: hence the 5. */
Test(hls_bases, numbers_of_segments_that_are_ahead_of_the_clock_are_kept)
{
	uint64_t clock = wall_ms() / 1000;
	struct hls_bases *b, *next;
	struct scene s;

	scene_init(&s);
	b = hls_bases_new(s.loop, s.path);
	hls_bases_note(b, s.now, clock - STEP);
	cr_assert_eq(hls_bases_next_number(b), clock - STEP + 1);
	hls_bases_note(b, s.now, clock + STEP - 5);
	hls_bases_note(b, s.now, clock);
	cr_assert_eq(hls_bases_next_number(b), clock + STEP - 4);
	/* a service that dies */
	await_file(&s);
	next = hls_bases_new(s.loop, s.path);
	cr_assert_gt(hls_bases_next_number(next), clock + STEP - 5);
	hls_bases_free(&next);
	/* a faulty worker */
	hls_bases_note(b, s.now, RING_NUMBER_MAX);
	hls_bases_note(b, s.now, clock + 3 * STEP);
	cr_assert_eq(hls_bases_next_number(b), clock + STEP - 4);
	hls_bases_free(&b);
	b = hls_bases_new(s.loop, s.path);
	cr_assert_eq(hls_bases_next_number(b), clock + STEP - 4);
	hls_bases_free(&b);
	scene_done(&s);
}

static struct hls_bases *with_file(struct scene *s, uint64_t next)
{
	FILE *file = fopen(s->path, "w");

	cr_assert_not_null(file);
	cr_assert_gt(fprintf(file, "{\"next\": %ju}", (uintmax_t)next), 0);
	cr_assert_eq(fclose(file), 0);
	return hls_bases_new(s->loop, s->path);
}

Test(hls_bases, the_file_counts_when_the_clock_is_behind)
{
	struct hls_bases *b;
	struct scene s;

	scene_init(&s);
	b = with_file(&s, s.now + 500000);
	cr_assert_eq(hls_bases_next(b), s.now + 500000);
	hls_bases_note(b, s.now + 500003, 0);
	cr_assert_eq(hls_bases_next(b), s.now + 500004);
	hls_bases_free(&b);
	b = with_file(&s, MOST);
	cr_assert_eq(hls_bases_next(b), (uint64_t)MOST);
	hls_bases_note(b, MOST, 0);
	cr_assert_eq(hls_bases_next(b), (uint64_t)MOST);
	hls_bases_free(&b);
	b = with_file(&s, MOST + 1);
	cr_assert_eq(hls_bases_next(b), 0u);
	hls_bases_free(&b);
	scene_done(&s);
}

Test(hls_bases, the_next_ring_of_a_stream_has_a_greater_one)
{
	struct ring_segment segment = { .number = 1 };
	struct ring_writer *w;
	struct stream_ring r;
	struct hls_bases *b;
	struct scene s;
	int err;

	scene_init(&s);
	b = hls_bases_new(s.loop, NULL);
	stream_ring_init(&r, b);
	for (unsigned i = 0; i < 3; i++) {
		cr_assert_eq(stream_ring_make(&r, RING_UNIT), 0);
		w = ring_writer_new(r.fd, &err);
		cr_assert_not_null(w);
		cr_assert_eq(ring_writer_base(w), i > 0 ? s.now + i : 0u);
		cr_assert_eq(ring_writer_number(w), segment.number + (i > 0));
		segment.base = s.now + i;
		segment.number += 10;
		ring_segment_cut(w, NULL, &segment);
		/* a segment that cannot be continued */
		cr_assert_eq(ring_writer_base(w), s.now + i + 1);
		ring_writer_free(&w);
	}
	stream_ring_close(&r);
	cr_assert_eq(hls_bases_next(b), s.now + 3);
	hls_bases_free(&b);
	scene_done(&s);
}

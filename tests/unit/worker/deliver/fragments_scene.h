/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mounts whose segments become fMP4. */
#pragma once

#include "common/base/fd.h"
#include "tests/unit/worker/ts/build.h"
#include "worker/deliver/fragments.h"
#include "worker/deliver/mount.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <string.h>

enum {
	QUANTITY = 3, /* of a playlist */
	KEPT = 2 * QUANTITY + 1,
	MOUNTS = 3,
	PICTURES = 20,
	FIRST = 500,
};

static const struct lag_kernel kernel = { 4 << 20, 6 << 20 };

/* Mounts of one ring, whose segments are of one size. */
struct scene {
	struct ev_loop *loop;
	int ring_fd;
	struct ring_writer *writer;
	struct ring_segment open;
	bool rest; /* follows the last segment of add_segments() */
	struct fragment_store store;
	struct mount *mounts[MOUNTS];
	struct ring_segments all;
};

static inline void write_packets(struct scene *s, const struct build *b)
{
	size_t room;

	for (size_t i = 0; i < b->n; i++) {
		memcpy(ring_room(s->writer, &room), b->data + i * TS_PACKET,
		       TS_PACKET);
		ring_commit(s->writer, 1);
	}
	ring_publish(s->writer);
}

static inline void add_picture(struct build *b, unsigned i)
{
	static const uint8_t first[] = "\0\0\1\x67\x64\x00\x0d\xac\xd9\x41\x51"
		"\xfe\x23\xc0\x44\x00\x00\x03\x00\x04\x00\x00\x03\x00\xc8\x3c"
		"\x50\xa6\x58\0\0\1\x68\xeb\xe3\xcb\x22\xc0\0\0\1\x65ICE";
	uint8_t es[150], *p;
	struct pes_times at;

	memset(es, 0x55, sizeof es);
	memcpy(es, "\0\0\1\x41", 4);
	if (i == 0)
		memcpy(es, first, sizeof first - 1);
	p = build_pes(b, 0x101, es, sizeof es);
	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.pts, i * UINT64_C(3600));
}

/* independent: the next segment. */
static inline void end_segment(struct scene *s, bool independent)
{
	struct ring_segment done = s->open;

	done.end = s->open.pos = ring_writer_pos(s->writer);
	done.duration_ms = 1000;
	s->open.number++;
	s->open.independent = independent;
	ring_segment_cut(s->writer, &done, &s->open);
}

/* The segments are those of long ago: their ends have arrived. */
static inline void add_segments(struct scene *s, unsigned n)
{
	struct build *b = build_new();

	build_tables(b);
	for (unsigned i = 0; i < PICTURES; i++)
		add_picture(b, i);
	while (n-- > 0) {
		write_packets(s, b);
		end_segment(s, n != 0 || !s->rest);
	}
	build_free(b);
}

static inline void look(struct scene *s)
{
	uint64_t end;

	cr_assert(mount_end(s->mounts[0], &end));
	ring_reader_segments(s->mounts[0]->reader,
			     (size_t)s->mounts[0]->lag.start_max, &s->all);
}

static inline void scene_init(struct scene *s, unsigned n)
{
	static const struct msg_deliver_mount name = {
		.address = "127.0.0.1:0", .path = "/news.m3u8",
		.stream = "a001", .hls = QUANTITY, .fmp4 = true
	};
	int err = 0;

	*s = (struct scene){ .loop = ev_loop_new(EVFLAG_NOENV),
			     .ring_fd = ring_create(4 << 20, RING_GROWN),
			     .store = { .max = FRAGMENTS_TOTAL_MAX,
					.turn_max = FRAGMENTS_TURN_MAX },
			     .open = { .number = FIRST, .base = FIRST,
				       .wall_ms = 1000000,
				       .independent = true } };
	s->writer = ring_writer_new(s->ring_fd, &err);
	cr_assert_not_null(s->writer, "%d", err);
	ring_segment_cut(s->writer, NULL, &s->open);
	add_segments(s, n);
	for (unsigned i = 0; i < MOUNTS; i++) {
		s->mounts[i] = mount_new(&(struct mount_config){
			.loop = s->loop, .name = &name,
			.ring_fd = fd_reopen_readonly(s->ring_fd),
			.start_ms = 1, .kernel = &kernel,
			.fragments = &s->store,
		}, &err);
		cr_assert_not_null(s->mounts[i], "%d", err);
	}
	look(s);
	cr_assert_eq(s->all.n, n);
}

static inline void scene_done(struct scene *s)
{
	for (unsigned i = 0; i < MOUNTS; i++)
		mount_free(&s->mounts[i]);
	ring_writer_free(&s->writer);
	fd_close(&s->ring_fd);
	ev_loop_destroy(s->loop);
	cr_assert_eq(s->store.bytes, 0);
}

/* The fragment of the segment with so many newer ones, in a turn of its own. */
static inline enum fragment_state get(struct scene *s, unsigned mount,
				      unsigned age,
				      const struct fragment **ret)
{
	(void)ev_run(s->loop, EVRUN_NOWAIT);
	return fragments_get(s->mounts[mount]->fragments,
			     &s->all.list[s->all.n - 1 - age], 1, ret);
}

/* The newest n, as a playlist is built. */
static inline void expect_made(struct scene *s, unsigned mount, unsigned n)
{
	const struct fragment *f;

	for (unsigned i = 0; i < n; i++)
		cr_assert_eq(get(s, mount, i, &f), FRAGMENT_READY, "%u %u",
			     mount, i);
}

/* A part of a segment, from one of its pictures to another. */
static inline enum fragment_state get_part(struct scene *s, unsigned age,
					   uint32_t index,
					   const struct fragment **ret)
{
	const struct ring_segment *seg = &s->all.list[s->all.n - 1 - age];
	/* two packets of tables are in front of the pictures */
	uint64_t first = seg->pos + UINT64_C(2) * RING_PACKET;
	struct ring_part p = {
		.number = seg->number, .index = index,
		.pos = index == 0 ? seg->pos : first + index * RING_PACKET,
		.end = first + (index + 1) * (uint64_t)RING_PACKET,
		.duration_ms = 40,
	};

	(void)ev_run(s->loop, EVRUN_NOWAIT);
	return fragments_part(s->mounts[0]->fragments, seg, &p, 1, ret);
}

static inline size_t size_of(struct scene *s)
{
	return (size_t)(s->all.list[0].end - s->all.list[0].pos);
}

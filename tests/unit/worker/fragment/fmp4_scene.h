/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets that become a fragment, and the boxes of it. */
#pragma once

#include "tests/unit/worker/ts/build.h"
#include "worker/fragment/fmp4.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
	VIDEO = 0x101, AUDIO = 0x102,
	PICTURE = 3600,    /* ticks of 90 kHz */
	FRAME = 144,       /* bytes of a frame of audio ... */
	FRAME_TICKS = 2160, /* ... which has 1152 samples of 48 kHz */
};

static const uint8_t sps[] = "\0\0\1\x67\x64\x00\x0d\xac\xd9\x41\x51\xfe\x23"
	"\xc0\x44\x00\x00\x03\x00\x04\x00\x00\x03\x00\xc8\x3c\x50\xa6\x58";
static const uint8_t pps[] = "\0\0\1\x68\xeb\xe3\xcb\x22\xc0";
static const uint8_t idr[] = "\0\0\0\1\x09\xf0\0\0\1\x65ICE\0\0\1\x0c\xff\x80";
static const uint8_t slice[] = "\0\0\1\x41SNOW\0";

struct scene {
	struct build *b;
	size_t own;  /* bytes of the segment; 0: all */
	size_t from; /* of a part */
	bool last;
	uint64_t near;
	struct fmp4_past *past;
	struct fmp4_state *state;
	size_t at;   /* of the state */
	struct buf init, media;
	struct fmp4_lack lack;
	struct errmsg error;
};

static inline void open_scene(struct scene *s)
{
	*s = (struct scene){ .b = build_new(), .last = true };
}

static inline void close_scene(struct scene *s)
{
	build_free(s->b);
	buf_done(&s->init);
	buf_done(&s->media);
}

static inline void add(struct scene *s, uint16_t pid, uint64_t pts,
		const struct buf *es)
{
	uint8_t *p = build_pes(s->b, pid, buf_head(es), buf_len(es));
	struct pes_times at;

	cr_assert(pes_times(p, &at));
	pes_set_time(p + at.pts, pts % PES_TIME_WRAP);
}

/* A picture; the first one of a group has its sets. */
static inline void add_picture(struct scene *s, uint64_t pts, bool first)
{
	struct buf es = { 0 };

	if (first) {
		buf_append(&es, sps, sizeof sps - 1);
		buf_append(&es, pps, sizeof pps - 1);
		buf_append(&es, idr, sizeof idr - 1);
	} else {
		buf_append(&es, slice, sizeof slice - 1);
	}
	add(s, VIDEO, pts, &es);
	buf_done(&es);
}

static inline void put_frame(struct buf *es, uint8_t fill)
{
	uint8_t frame[FRAME];

	memset(frame, fill, sizeof frame);
	memcpy(frame, "\xff\xfd\x24\x00", 4);
	buf_append(es, frame, sizeof frame);
}

static inline void add_frame(struct scene *s, uint64_t pts)
{
	struct buf es = { 0 };

	put_frame(&es, 7);
	add(s, AUDIO, pts, &es);
	buf_done(&es);
}

static inline int make(struct scene *s)
{
	struct ts_run run = build_run(s->b);
	size_t len = run.n * TS_PACKET;

	buf_reset(&s->init, 0);
	buf_reset(&s->media, 0);
	return fmp4_make(&(struct fmp4_source){
		.data = run.data + s->at, .len = len - s->at,
		.from = s->from,
		.own = s->own > 0 ? s->own : len,
		.state = s->state,
		.last = s->last, .near = s->near, .number = 9,
		.past = s->past,
	}, &s->init, &s->media, &s->lack, &s->error);
}

/* The content of the nth box of this type. */
static inline const uint8_t *box(const struct buf *b, const char type[4],
				 unsigned n)
{
	const uint8_t *data = buf_head(b);

	for (size_t i = 0; i + 4 <= buf_len(b); i++)
		if (memcmp(data + i, type, 4) == 0 && n-- == 0)
			return data + i + 4;
	cr_assert_fail("no %.4s", type);
	return NULL;
}

static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static inline uint64_t be64(const uint8_t *p)
{
	return (uint64_t)be32(p) << 32 | be32(p + 4);
}

static inline uint64_t time_of(const struct scene *s, unsigned track)
{
	return be64(box(&s->media, "tfdt", track) + 4);
}

/* A field of a sample: 0 duration, 1 size, 2 flags, 3 offset. */
static inline uint32_t field_of(const struct scene *s, unsigned track,
				unsigned i, unsigned field)
{
	const uint8_t *trun = box(&s->media, "trun", track);

	cr_assert_lt(i, be32(trun + 4));
	return be32(trun + 12 + 16 * i + 4 * field);
}

static inline uint32_t samples_of(const struct scene *s, unsigned track)
{
	return be32(box(&s->media, "trun", track) + 4);
}

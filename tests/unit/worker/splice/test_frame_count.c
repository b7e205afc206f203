/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frames of audio by which the end of a unit is known. */
#include "common/base/util.h"
#include "tests/unit/worker/splice/stage.h"
#include "worker/ts/pes.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum {
	UNIT = SOURCE_AUDIO_FRAMES * 2160, /* 90 kHz */
	BEFORE = 10, AFTER = 4, /* units */
};

/* The bytes of a PTS from here on look like the head of a frame. */
#define LIKE_A_FRAME UINT64_C(0x3fff0000)

static const struct splice_track *track_of(const struct stage *s)
{
	for (size_t i = 0; i < SPLICE_TRACKS; i++)
		if (s->state->tracks[i].used &&
		    s->state->tracks[i].pid == SOURCE_AUDIO)
			return &s->state->tracks[i];
	return NULL;
}

/* Checks the duration of each unit whose header has so many bytes in its first
 * packet. */
static void expect_whole_units(size_t head)
{
	struct source *a = source_new(0);
	uint64_t dts = 0, from;
	uint32_t span = 0;
	unsigned units = 0;
	struct stage s;

	stage_init(&s);
	a->start = LIKE_A_FRAME - BEFORE * UNIT -
		   a->lead_ms / 2 * (uint64_t)90;
	from = LIKE_A_FRAME - 4 * UNIT;
	a->head = head;
	for (unsigned i = 0; i < 2000 && units < 4 + AFTER; i++) {
		struct ts_run run = source_make(a, 1);
		const struct splice_track *t;

		splice_feed(s.splice, &run, 1, s.now_ns);
		s.now_ns += STAGE_MS;
		t = track_of(&s);
		if (t == NULL)
			continue;
		/* another unit has begun */
		if (t->dts != dts && dts >= from) {
			cr_assert_eq(span, (uint32_t)UNIT,
				     "head %zu: unit at %#llx: %u", head,
				     (unsigned long long)dts, span);
			units++;
		}
		dts = t->dts;
		span = t->span;
	}
	cr_assert_eq(units, 4u + AFTER);
	stage_done(&s);
	free(a);
}

Test(frame_count, a_header_in_several_packets_is_no_frame)
{
	static const size_t heads[] = { 0, 1, 5, 8, 9, 10, 14, 18, 19 };

	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		expect_whole_units(heads[i]);
}

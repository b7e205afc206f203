/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of any kind as the header of a ring, before and after it is opened. */
#include "common/base/ring_segment.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RING_BYTES = 4 * RING_UNIT };

static const size_t margins[] = { 0, 1, RING_UNIT, RING_BYTES, SIZE_MAX };

static void look_at_segments(struct ring_reader *r, size_t back)
{
	struct ring_segments list;
	uint64_t pos;
	bool ok;

	ring_reader_segments(r, back, &list);
	pos = ring_reader_pos(r, &ok);
	if (!ok && list.n > 0)
		abort();
	if (list.n > RING_SEGMENTS || list.target_s > RING_TARGET_MAX_S ||
	    (list.has_open && list.open.pos > pos))
		abort();
	for (size_t i = 0; i < list.n; i++) {
		const struct ring_segment *s = &list.list[i];

		if (s->pos >= s->end || s->end > pos || pos - s->pos > back ||
		    s->duration_ms == 0 || s->wall_ms < 0 ||
		    (s->duration_ms + 500) / 1000 > list.target_s ||
		    (i > 0 && (s[-1].number + 1 != s->number ||
			       s[-1].end != s->pos)))
			abort();
	}
}

static void look_at_parts(struct ring_reader *r, size_t back)
{
	struct ring_parts list;
	uint64_t pos;
	bool ok;

	ring_reader_parts(r, back, &list);
	pos = ring_reader_pos(r, &ok);
	if ((!ok && list.n > 0) || list.n > RING_PARTS ||
	    list.target_ms > RING_SEGMENT_MAX_MS)
		abort();
	for (size_t i = 0; i < list.n; i++) {
		const struct ring_part *p = &list.list[i];

		if (p->pos >= p->end || p->end > pos || pos - p->pos > back ||
		    p->duration_ms == 0 || p->duration_ms > list.target_ms ||
		    (i > 0 && p[-1].end != p->pos))
			abort();
	}
}

static void look(struct ring_reader *r)
{
	struct ring_rap rap;
	bool ok = false;

	look_at_segments(r, RING_BYTES);
	look_at_segments(r, RING_UNIT);
	look_at_parts(r, RING_BYTES);

	for (size_t i = 0; i < ARRAY_LEN(margins); i++) {
		uint64_t pos = ring_reader_pos(r, &ok);
		size_t len, has = ring_reader_size(r);
		off_t at = ring_file_offset(r, pos, RING_BYTES, &len);

		if (at < RING_DATA || len == 0 ||
		    (size_t)at + len > RING_DATA + RING_BYTES ||
		    has > RING_BYTES)
			abort();
		if (!ring_reader_last_rap(r, margins[i], 0, &rap))
			continue;
		if (!ok || rap.pos >= pos || rap.pos % RING_PACKET != 0 ||
		    margins[i] >= has ||
		    pos - rap.pos > has - margins[i])
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = ring_create(RING_BYTES, 0), err = 0;
	struct ring_reader *early = ring_reader_new(fd, &err), *late;
	struct ring_writer *writer;

	if (early == NULL)
		abort();
	if (pwrite(fd, data, MIN(size, (size_t)RING_DATA), 0) < 0)
		abort();
	look(early);
	late = ring_reader_new(fd, &err);
	if (late != NULL)
		look(late);
	writer = ring_writer_new(fd, &err);
	if ((late == NULL) != (writer == NULL))
		abort();
	if (writer != NULL) {
		size_t room;

		memset(ring_room(writer, &room), 0xff, RING_PACKET);
		ring_commit(writer, 1);
		ring_publish(writer);
		look(late);
	}
	ring_writer_free(&writer);
	ring_reader_free(&late);
	ring_reader_free(&early);
	(void)close(fd);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/packet_ring.h"

#include "common/base/util.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	/* The ring grows by an eighth, at least by GROWTH_LEAST places. */
	GROWTH = 8,
	GROWTH_LEAST = 64,
	/* Bytes that trim keeps; at least a page. */
	KEEP = 32 * 1024,
};

static uint8_t *place(const struct packet_ring *r, size_t i)
{
	return r->memory + i * TS_PACKET;
}

void packet_ring_done(struct packet_ring *r)
{
	if (r->memory != NULL)
		(void)munmap(r->memory, r->max * TS_PACKET);
	packet_ring_init(r, r->max);
}

/* Adds at least `least' places at the end of the memory.  If the newest packets
 * already lie at the start, moves the oldest ones to the new end. */
static void grow(struct packet_ring *r, size_t least)
{
	size_t size = MAX(least, r->size + r->size / GROWTH + GROWTH_LEAST);
	size_t more, back = r->size - r->head;

	size = MIN(size, r->max);
	more = size - r->size;
	if (r->head + r->len > r->size) {
		memmove(place(r, r->head + more), place(r, r->head),
			back * TS_PACKET);
		r->head += more;
	}
	r->size = size;
}

struct ts_run packet_ring_push(struct packet_ring *r, struct ts_run run)
{
	size_t tail;

	assert(r->len + run.n <= r->max);
	if (r->memory == NULL) {
		size_t size = r->max * TS_PACKET;

		r->memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				 -1, 0);
		if (r->memory == MAP_FAILED)
			abort();
		(void)madvise(r->memory, size, MADV_NOHUGEPAGE);
	}
	if (r->len + run.n > r->size)
		grow(r, r->len + run.n);
	tail = r->head + r->len;
	tail -= tail < r->size ? 0 : r->size;
	run.n = MIN(run.n, r->size - tail);
	memcpy(place(r, tail), run.data, run.n * TS_PACKET);
	r->len += run.n;
	return (struct ts_run){ .data = place(r, tail), .n = run.n };
}

void packet_ring_drop(struct packet_ring *r, size_t n)
{
	assert(n <= r->len);
	r->len -= n;
	r->head += n;
	r->head -= r->head < r->size ? 0 : r->size;
	if (r->len == 0)
		r->head = 0;
}

void packet_ring_trim(struct packet_ring *r)
{
	const size_t bytes = MAX((size_t)KEEP, (size_t)sysconf(_SC_PAGESIZE));
	const size_t keep = bytes / TS_PACKET;

	if (r->size <= 2 * keep || r->head + r->len > keep)
		return;
	(void)madvise(r->memory + bytes, r->max * TS_PACKET - bytes,
		      MADV_DONTNEED);
	r->size = keep;
}

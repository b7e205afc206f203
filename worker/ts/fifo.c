/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/ts/fifo.h"

#include "common/base/util.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Bytes that fifo_trim() keeps: the packets of a few ticks. */
enum { KEEP = 32 * 1024 };

static size_t memory_size(const struct fifo *f)
{
	return fifo_max(f) * TS_PACKET;
}

void fifo_done(struct fifo *f)
{
	if (f->memory != NULL && !f->borrowed)
		(void)munmap(f->memory, memory_size(f));
	*f = (struct fifo){ .max = f->max };
}

void fifo_use(struct fifo *f, uint8_t *memory, size_t head, size_t tail)
{
	assert(f->memory == NULL && head <= tail && tail <= fifo_max(f));
	f->memory = memory;
	f->borrowed = true;
	f->head = head;
	f->tail = tail;
	/* so the next fifo_trim() also frees pages that an earlier user of the
	 * memory has filled */
	f->high = fifo_max(f);
}

bool fifo_moves(const struct fifo *f, size_t n)
{
	/* moved if the copy does not overlap its source, or if room is
	 * needed */
	return f->head > 0 &&
	       (f->head >= fifo_len(f) || f->tail + n > fifo_max(f));
}

void fifo_move(struct fifo *f)
{
	size_t n = fifo_len(f);

	memmove(f->memory, f->memory + f->head * TS_PACKET, n * TS_PACKET);
	f->head = 0;
	f->tail = n;
}

uint8_t *fifo_push(struct fifo *f, struct ts_run run)
{
	uint8_t *copy;

	assert(fifo_len(f) + run.n <= fifo_max(f));
	if (f->memory == NULL) {
		f->memory = mmap(NULL, memory_size(f), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				 -1, 0);
		if (f->memory == MAP_FAILED)
			abort();
		(void)madvise(f->memory, memory_size(f), MADV_NOHUGEPAGE);
	}
	if (fifo_moves(f, run.n))
		fifo_move(f);
	copy = f->memory + f->tail * TS_PACKET;
	memcpy(copy, run.data, run.n * TS_PACKET);
	f->tail += run.n;
	f->high = MAX(f->high, f->tail);
	return copy;
}

void fifo_drop(struct fifo *f, size_t n)
{
	assert(n <= fifo_len(f));
	f->head += n;
	if (f->head == f->tail)
		f->head = f->tail = 0;
}

void fifo_trim(struct fifo *f)
{
	if (f->high * TS_PACKET <= 2 * KEEP || f->tail * TS_PACKET > KEEP)
		return;
	(void)madvise(f->memory + KEEP, memory_size(f) - KEEP,
		      f->borrowed ? MADV_REMOVE : MADV_DONTNEED);
	f->high = f->tail;
}

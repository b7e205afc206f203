/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A queue of packets in one piece of memory.
 *
 * Owns its memory, of which the kernel provides each page at its first use.  An
 * empty queue starts again at the first page, and fifo_trim() returns to the
 * kernel the pages that only a long queue needed.
 */
#pragma once

#include "worker/ts/packet.h"

enum { FIFO_PACKETS_MAX = 2 * 1024 * 1024 / TS_PACKET };

struct fifo {
	uint8_t *memory; /* NULL until the first packet */
	size_t head;     /* index in memory of the oldest packet */
	size_t tail;     /* index in memory behind the newest packet */
	size_t high;     /* highest tail since fifo_trim() last freed pages */
	size_t max;      /* most packets that may wait; 0: FIFO_PACKETS_MAX */
	bool borrowed;   /* memory was given by fifo_use() */
};

/* Frees the memory, unless it is borrowed. */
void fifo_done(struct fifo *);

/* Gives the fifo shared memory of the caller, before the first push.  The
 * memory has room for fifo_max() packets, is aligned to a page and outlives the
 * fifo.  The packets with the indexes from head to tail - 1 are in it
 * already. */
void fifo_use(struct fifo *, uint8_t *memory, size_t head, size_t tail);

static inline size_t fifo_len(const struct fifo *f)
{
	return f->tail - f->head;
}

static inline size_t fifo_max(const struct fifo *f)
{
	return f->max > 0 ? f->max : FIFO_PACKETS_MAX;
}

/* All queued packets.  data is NULL if no packet was ever pushed. */
static inline struct ts_run fifo_run(const struct fifo *f)
{
	if (f->memory == NULL)
		return (struct ts_run){ 0 };
	return (struct ts_run){ .data = f->memory + f->head * TS_PACKET,
				.n = f->tail - f->head };
}

/* Copies a run, which must not be from this queue, to the end; at most max
 * packets may wait.  Returns the copy, which may be changed in place until the
 * next push. */
uint8_t *fifo_push(struct fifo *, struct ts_run);

/* Would a push of n packets move the waiting packets to the start of the
 * memory? */
bool fifo_moves(const struct fifo *, size_t n);
/* Moves the waiting packets to the start of the memory. */
void fifo_move(struct fifo *);

/* Removes the n oldest packets, n <= fifo_len(). */
void fifo_drop(struct fifo *, size_t n);

/* Returns memory to the kernel that only an earlier, longer queue needed. */
void fifo_trim(struct fifo *);

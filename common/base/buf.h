/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing byte buffer: appended at the end, consumed from the front.
 *
 * Embedded; zeroed memory is an empty buffer.  The holder checks buf_len()
 * against its own limit before it appends.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t head; /* first byte not yet consumed */
	size_t tail; /* end of the content */
	size_t size;
};

void buf_done(struct buf *);

static inline size_t buf_len(const struct buf *b)
{
	return b->tail - b->head;
}

/* The address of byte `at' (at most buf_len) of the content; NULL: the buffer
 * has no memory yet. */
static inline uint8_t *buf_at(const struct buf *b, size_t at)
{
	return b->data != NULL ? b->data + b->head + at : NULL;
}

static inline uint8_t *buf_head(const struct buf *b)
{
	return buf_at(b, 0);
}

/* Room for at least len bytes at the end; write there, then call
 * buf_added(). */
uint8_t *buf_reserve(struct buf *, size_t len);
void buf_added(struct buf *, size_t len);

void buf_append(struct buf *, const void *data, size_t len);
void buf_printf(struct buf *, const char *format, ...) PRINTF_LIKE(2, 3);

/* Consumes len bytes (at most buf_len) from the front. */
void buf_take(struct buf *, size_t len);

/* Empties the buffer and clears the first max bytes of its memory, which may
 * have held a password. */
void buf_wipe(struct buf *, size_t max);

/* Empties the buffer; frees its memory if it exceeds keep bytes. */
void buf_reset(struct buf *, size_t keep);

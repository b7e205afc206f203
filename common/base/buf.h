/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes that wait: a growing buffer, filled at the end, taken from the front.
 *
 * Embedded; zeroed memory is an empty buffer.  The holder checks buf_len()
 * against its own bound before it appends.
 */
#pragma once

#include "common/base/util.h"

#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t head; /* first byte not yet taken */
	size_t tail; /* end of the bytes */
	size_t size;
};

void buf_done(struct buf *);

static inline size_t buf_len(const struct buf *b)
{
	return b->tail - b->head;
}

static inline uint8_t *buf_head(const struct buf *b)
{
	return b->data + b->head;
}

/* Room for at least len bytes behind the last; fill, then buf_added(). */
uint8_t *buf_reserve(struct buf *, size_t len);
void buf_added(struct buf *, size_t len);

void buf_append(struct buf *, const void *data, size_t len);
void buf_printf(struct buf *, const char *format, ...) PRINTF_LIKE(2, 3);

/* Takes len bytes (at most buf_len) away from the front. */
void buf_take(struct buf *, size_t len);

/* Empties it and clears the first max bytes of its memory: a password may have
 * been there. */
void buf_wipe(struct buf *, size_t max);

/* Empties it; memory above keep bytes goes back to the system. */
void buf_reset(struct buf *, size_t keep);

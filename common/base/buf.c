/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/buf.h"

#include "common/base/alloc.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 256 };

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

uint8_t *buf_reserve(struct buf *b, size_t len)
{
	size_t size = b->size ? b->size : SMALLEST;

	if (b->size - b->tail >= len)
		return b->data + b->tail;
	if (b->head > 0) {
		memmove(b->data, b->data + b->head, b->tail - b->head);
		b->tail -= b->head;
		b->head = 0;
	}
	while (size - b->tail < len)
		size *= 2;
	if (size != b->size) {
		b->data = xrealloc(b->data, size);
		b->size = size;
	}
	return b->data + b->tail;
}

void buf_added(struct buf *b, size_t len)
{
	assert(b->size - b->tail >= len);
	b->tail += len;
}

void buf_append(struct buf *b, const void *data, size_t len)
{
	if (len == 0)
		return;
	memcpy(buf_reserve(b, len), data, len);
	buf_added(b, len);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	size_t room = 128;
	int n;

	va_start(args, format);
	n = vsnprintf((char *)buf_reserve(b, room), room, format, args);
	va_end(args);
	assert(n >= 0);
	if ((size_t)n >= room) {
		room = (size_t)n + 1;
		va_start(args, format);
		n = vsnprintf((char *)buf_reserve(b, room), room, format,
			      args);
		va_end(args);
	}
	buf_added(b, (size_t)n);
}

void buf_take(struct buf *b, size_t len)
{
	assert(len <= buf_len(b));
	b->head += len;
	if (b->head == b->tail)
		b->head = b->tail = 0;
}

void buf_reset(struct buf *b, size_t keep)
{
	b->head = b->tail = 0;
	if (b->size > keep)
		buf_done(b);
}

void buf_wipe(struct buf *b, size_t max)
{
	if (b->size > 0)
		explicit_bzero(b->data, MIN(b->size, max));
	b->head = b->tail = 0;
}

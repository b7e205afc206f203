/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames on their way to many clients: written once, shared, in order.
 *
 * Chunks form one list that only grows at its end.  Whoever stands in a chunk
 * holds a reference; a chunk holds one on its successor.  So all clients
 * together keep no more than the one who is furthest behind.
 */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stddef.h>

struct ws_chunk {
	struct ws_chunk *next;
	unsigned refs;
	struct buf frames; /* whole frames only */
};

/* Takes the bytes (frames is empty after it).  Goes behind last, which may be
 * NULL.  The caller holds one reference. */
struct ws_chunk *ws_chunk_new(struct buf *frames, struct ws_chunk *last);

struct ws_chunk *ws_chunk_ref(struct ws_chunk *);

/* NULL-safe; sets *chunk to NULL. */
void ws_chunk_unref(struct ws_chunk **chunk);

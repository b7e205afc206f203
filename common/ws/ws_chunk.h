/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chunk of frames that several clients share, so that frames are stored once.
 *
 * Chunks form a list that only grows at its end.  A client holds a reference to
 * the chunk it writes, and a chunk to its successor.  The memory in use is that
 * of the slowest client.
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

/* Takes the bytes of frames and links the chunk to last (may be NULL).  The
 * caller holds one reference. */
struct ws_chunk *ws_chunk_new(struct buf *frames, struct ws_chunk *last);

struct ws_chunk *ws_chunk_ref(struct ws_chunk *);

/* NULL-safe; sets *chunk to NULL. */
void ws_chunk_unref(struct ws_chunk **chunk);

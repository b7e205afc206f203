/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/ws/ws_chunk.h"

#include "common/base/alloc.h"

#include <stdlib.h>

struct ws_chunk *ws_chunk_new(struct buf *frames, struct ws_chunk *last)
{
	struct ws_chunk *c = xcalloc(1, sizeof *c);

	c->refs = 1;
	c->frames = *frames;
	*frames = (struct buf){ 0 };
	if (last != NULL)
		last->next = ws_chunk_ref(c);
	return c;
}

struct ws_chunk *ws_chunk_ref(struct ws_chunk *c)
{
	c->refs++;
	return c;
}

void ws_chunk_unref(struct ws_chunk **chunk)
{
	struct ws_chunk *c = *chunk;

	*chunk = NULL;
	while (c != NULL && --c->refs == 0) {
		struct ws_chunk *next = c->next;

		buf_done(&c->frames);
		free(c);
		c = next;
	}
}

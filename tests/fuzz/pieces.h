/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stream of bytes means the same in whatever pieces it comes. */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline void must(bool truth)
{
	if (!truth)
		abort();
}

/* Reads size bytes step by step, and records the result in log. */
typedef void fuzz_reader(const uint8_t *data, size_t size, size_t step,
			 struct buf *log);

/* data[0] is the size of the pieces, 1 to 64 bytes; the data follows. */
static inline void fuzz_in_pieces(fuzz_reader *read, const uint8_t *data,
				  size_t size)
{
	struct buf whole = { 0 }, pieces = { 0 };

	if (size < 2)
		return;
	read(data + 1, size - 1, size - 1, &whole);
	read(data + 1, size - 1, (size_t)data[0] % 64 + 1, &pieces);
	must(buf_len(&whole) == buf_len(&pieces));
	must(memcmp(buf_head(&whole), buf_head(&pieces),
		    buf_len(&whole)) == 0);
	buf_done(&whole);
	buf_done(&pieces);
}

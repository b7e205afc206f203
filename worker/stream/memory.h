/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a stream worker leaves to the next one: where the stream is, in memory
 * that the master keeps.
 *
 * Flat, and written in place as the stream goes out, so that it is right
 * whenever the worker ends.  It is another process's, and may be damaged:
 * every part is judged before it is believed.
 */
#pragma once

#include "worker/remux/table_versions.h"
#include "worker/splice/state.h"

#include <stdbool.h>

struct stream_memory {
	uint64_t magic;
	uint32_t version; /* of this layout */
	uint32_t size;
	struct splice_state splice;
	struct table_versions tables;
};

/*
 * The memory behind fd (not taken); without one (-1), or when it cannot be
 * mapped (*ret_err = -errno, else 0), memory that ends with this process.
 * Never NULL.  Whatever is not sound in it begins anew.
 */
struct stream_memory *stream_memory_open(int fd, uint64_t now_ns,
					 int *ret_err);
void stream_memory_close(struct stream_memory **);

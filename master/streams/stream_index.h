/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the process of a stream by its id, by bisection.
 */
#pragma once

#include <stddef.h>

struct stream_proc;

/* Embedded; {0} is empty.  Borrows the processes. */
struct stream_index {
	size_t n, room;
	struct stream_proc **procs; /* in the order of their ids */
};

void stream_index_free(struct stream_index *);

/* The id must not change until stream_index_remove(). */
void stream_index_add(struct stream_index *, struct stream_proc *);
void stream_index_remove(struct stream_index *, const struct stream_proc *);

/* NULL: there is none.  A removed stream is found as long as its process runs,
 * unless another one has got its id. */
struct stream_proc *stream_index_find(const struct stream_index *,
				      const char *id);

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
	struct stream_proc **procs; /* sorted by id */
};

void stream_index_free(struct stream_index *);

/* Adds a process, whose id must not change before stream_index_remove(). */
void stream_index_add(struct stream_index *, struct stream_proc *);
void stream_index_remove(struct stream_index *, const struct stream_proc *);

/* Returns the process with this id; NULL: none.  A removed stream is found as
 * long as its process runs, unless a newer stream has the same id. */
struct stream_proc *stream_index_find(const struct stream_index *,
				      const char *id);

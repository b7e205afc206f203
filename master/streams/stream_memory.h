/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that passes counters and clocks of a stream from its worker to the
 * next one.  A stream also runs without this memory: then counters and clocks
 * start from zero with each worker.
 *
 * Embedded, with the fd set to -1.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct handover;

struct stream_memory {
	int fd; /* STREAM_MEMORY_SIZE bytes, for the workers; -1: none */
	uint64_t number; /* number of the memory in the handover */
};

/* keep: makes the memory, unless it exists; false: closes it.  name: for the
 * log. */
void stream_memory_keep(struct stream_memory *, bool keep, const char *name);

/* The last worker has ended and the stream stays stopped: releases all but the
 * part that a later worker needs. */
void stream_memory_trim(struct stream_memory *);

/* Takes the memory with this name from the previous master, if it has the right
 * size. */
void stream_memory_take(struct stream_memory *, const json_t *name,
			struct handover *);

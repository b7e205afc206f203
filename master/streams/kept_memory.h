/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one worker of a stream leaves to the next: a small shared memory, kept
 * by its keeper.  Embedded. */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct handover;

struct kept_memory {
	int fd;          /* -1: there is none */
	uint64_t number; /* in the handover */
};

void kept_memory_init(struct kept_memory *);
void kept_memory_close(struct kept_memory *);

/* A zeroed one, or the one that is there.  0 or -errno. */
int kept_memory_make(struct kept_memory *) MUST_CHECK;

/* Its name in the handover, a new JSON value; NULL when there is none. */
json_t *kept_memory_write(struct kept_memory *, struct handover *);

/* Takes the one of that name up, if it is one. */
void kept_memory_take(struct kept_memory *, const json_t *name,
		      struct handover *);

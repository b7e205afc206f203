/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The splice commands of a stream that wait for their time, in memory that
 * outlives the worker: the next worker sends them until their time.
 *
 * Flat and without pointers.  Zeroed memory is ready.  Damaged memory loses
 * commands, and causes no wrong section.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CUES_PENDING_MAX = 8,
	CUE_KEPT_BYTES = 1024, /* a longer section is not kept */
};

struct cue_pending {
	/* the command is repeated until this time, on the clock of mono.h; 0:
	 * the place is free */
	uint64_t until_ns;
	int64_t event;     /* event id of a splice_insert; -1: none */
	uint32_t len;      /* bytes of the section; 0: it is not kept */
	uint32_t reserved;
	uint8_t section[CUE_KEPT_BYTES];
};

struct cue_memory {
	struct cue_pending pending[CUES_PENDING_MAX];
};

/* Frees the places whose command is over, damaged or not kept. */
void cue_memory_check(struct cue_memory *, uint64_t now_ns);

/* The first free place; CUES_PENDING_MAX: none. */
size_t cue_memory_place(const struct cue_memory *);

void cue_memory_put(struct cue_pending *, uint64_t until_ns, int64_t event,
		    const uint8_t *section, size_t len);

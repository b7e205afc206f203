/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The EIT sections of the inputs of a multiplex, which share one PID of limited
 * rate (lane.h).
 *
 * Sections of present and following events precede those of the schedule, which
 * have a quarter of the bytes while both wait.
 * Among the inputs that wait, the one that has sent the fewest bytes is next,
 * so that the schedule of one input delays no other.  Sections of a sub-table
 * keep their distance (EN 300 468 5.1.4).  Each input has room of its own;
 * sections beyond it are dropped and counted, and their source repeats them.
 *
 * Pure.  Owns the queued sections.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EIT_ROOM = 32 * 1024, /* bytes for present/following sections of an
			       * input, and as many for its schedule */
	/* From the end of a section to the begin of the next one of its
	 * sub-table: 25 ms, and 4 ms because packets may leave earlier or later
	 * than planned. */
	EIT_GAP_MS = 29,
};

struct eit_share;

struct eit_share *eit_share_new(size_t n_inputs);
/* NULL-safe; sets *s to NULL. */
void eit_share_free(struct eit_share **);

/* Queues a section of an input, or drops it if it is longer than SECTION_MAX or
 * finds no room. */
void eit_share_push(struct eit_share *, size_t input, const uint8_t *section,
		    size_t len);

/* Returns the section that begins to leave at at_ns, borrowed until the next
 * call; NULL: no section may leave then.  without_schedule: sections of the
 * schedule stay in the queue. */
const uint8_t *eit_share_next(struct eit_share *, uint64_t at_ns,
			      bool without_schedule, size_t *ret_len);

/* The number of sections of an input that were dropped, because they found no
 * room. */
uint64_t eit_share_dropped(const struct eit_share *, size_t input);

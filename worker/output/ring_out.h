/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a stream into its ring, so that a reader can begin at any of the
 * marked places.
 *
 * In front of every random access point stand PAT and PMTs; the continuity
 * counters of their PIDs are written anew in the copy, so that those put in
 * do not show.  Without a picture to begin with, an audio frame is marked;
 * without anything known, whatever begins there; a pause is no time in which
 * nothing was known.
 *
 * In a ring that was written before the counters go on.
 *
 * Owns its mapping of the ring; borrows the tables.
 */
#pragma once

#include "worker/ts/psi.h"

struct ring_out;

/* fd is not taken.  NULL with *ret_err = -errno when it is no sound ring. */
struct ring_out *ring_out_new(int fd, const struct psi *, int *ret_err);
void ring_out_free(struct ring_out **);

/* Copies packets; nobody sees them yet. */
void ring_out_feed(struct ring_out *, const struct ts_run *runs,
		   size_t n_runs, uint64_t now_ns);

/* Shows readers what was copied. */
void ring_out_publish(struct ring_out *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The faults of a merge of a simulated stream, in numbers.  The sent and the
 * received packets are aligned: first the unique packets, as far as they are in
 * order, then the others between.
 */
#pragma once

#include "tests/unit/worker/merge/merge_sim.h"

/* Packets. */
struct merge_faults {
	/* Packets that one path at least delivered: sent not at all, or more
	 * than once. */
	size_t missing, doubled;
	/* The same of filler, and of packets that are sent twice: they cannot
	 * be distinguished. */
	size_t alike_missing, alike_doubled;
	size_t disordered; /* of their PID; times by themselves */
	size_t crossed; /* of all but null packets */
	/* Null packets; misplaced: between others than as they were sent. */
	size_t null_missing, null_doubled, null_misplaced;
};

/* Adds to the counts. */
void merge_count(const struct sim *, struct merge_faults *);

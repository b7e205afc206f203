/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a merge made wrong of a simulated stream, in numbers.
 *
 * What was sent and what went out are laid beside each other: first what is
 * there once, as far as it is in order, then the rest between.
 */
#pragma once

#include "tests/unit/worker/merge/merge_sim.h"

/* Packets. */
struct merge_faults {
	/* That one path at least brought: none went out, or more than one. */
	size_t missing, doubled;
	/* The same of filler, and of those that are sent twice: nothing tells
	 * one from the other. */
	size_t alike_missing, alike_doubled;
	size_t disordered; /* of their PID; times by themselves */
	size_t crossed; /* of all but null packets */
	/* Null packets; misplaced: between others than as they were sent. */
	size_t null_missing, null_doubled, null_misplaced;
};

/* Adds to the counts. */
void merge_count(const struct sim *, struct merge_faults *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the keys of a tuner that only satellites have: LNB, switches, dish,
 * unicable, multistream.  Pure. */
#pragma once

#include "proto/spec/tuner_spec.h"

/* Computes the satellite members of the spec from its keys.  0, or -EINVAL with
 * an error that names the key. */
int tuner_sat_judge(struct tuner_spec *, struct errmsg *error) MUST_CHECK;

/* The tuning word of EN 50494, for a spec with unicable. */
unsigned tuner_50494_word(const struct tuner_spec *);

/* Returns the gold code for a root code (EN 302 307): how many shifts bring the
 * register from state 1 to the state `root'; 0 also for a state that the
 * register never has. */
uint32_t tuner_pls_of_root(uint32_t root);

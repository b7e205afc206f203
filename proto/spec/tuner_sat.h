/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a satellite adds to the keys of a tuner: LNB, switches, dish, unicable,
 * multistream.  Pure. */
#pragma once

#include "proto/spec/tuner_spec.h"

/* Computes the satellite members of the spec from its keys.  0, or -EINVAL with
 * the key in error. */
int tuner_sat_judge(struct tuner_spec *, struct errmsg *error) MUST_CHECK;

/* The tuning word of EN 50494, for a spec with unicable. */
unsigned tuner_50494_word(const struct tuner_spec *);

/* The index of a gold code from its root code, the start state of the register;
 * 0 for root 1, and for a root that the register never has. */
uint32_t tuner_pls_of_root(uint32_t root);

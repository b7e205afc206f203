/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layers of ISDB-T (ARIB STD-B31) among the keys of a tuner.  Pure. */
#pragma once

#include "proto/spec/tuner_spec.h"

/* Computes the layers of the spec from its keys.  0, or -EINVAL with the key in
 * error. */
int tuner_isdbt_judge(struct tuner_spec *, struct errmsg *error) MUST_CHECK;

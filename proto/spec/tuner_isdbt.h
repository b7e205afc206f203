/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the keys of a tuner that describe the layers of ISDB-T (ARIB STD-B31).
 * Pure. */
#pragma once

#include "proto/spec/tuner_spec.h"

/* Computes the layers of the spec from its keys isdbt_layer_a to _c.  0, or
 * -EINVAL with an error that names the key. */
int tuner_isdbt_judge(struct tuner_spec *, struct errmsg *error) MUST_CHECK;

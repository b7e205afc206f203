/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a record that was written with the one that its section gives; only
 * for this folder. */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>

/* -EINVAL: a key of given is unknown, or has another value in made. */
int record_same(const json_t *given, const json_t *made,
		struct errmsg *error) MUST_CHECK;

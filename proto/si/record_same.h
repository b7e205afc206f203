/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a given record with the record that is read from the section made of
 * it; only for this folder. */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>

/* 0: all keys of `given' have the same values in `made'.  -EINVAL with error: a
 * key is unknown, or its value differs. */
int record_same(const json_t *given, const json_t *made,
		struct errmsg *error) MUST_CHECK;

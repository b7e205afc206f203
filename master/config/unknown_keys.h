/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is sound and may yet be a slip of the hand: keys that nobody reads, and
 * enabled streams that cannot run.
 *
 * Only for who asks: others store keys of their own, and they stay.  Pure.
 */
#pragma once

#include "master/config/check.h"

#include <jansson.h>

/* Each is a CHECK_WARNING.  A key that begins with '_' is meant so. */
void slips_find(const json_t *document, check_found_fn *found, void *arg);

/* Keys of one stream object at path that are nearly, and not quite, known. */
void slips_find_near(const json_t *stream, const char *path,
		     check_found_fn *found, void *arg);

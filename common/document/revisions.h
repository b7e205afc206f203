/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Earlier versions of a file: FILE.1 is the last one. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stddef.h>

enum { REVISIONS_MAX = 10 };

/*
 * replace_file(), and the former content becomes FILE.1, FILE.1 becomes FILE.2
 * and so on; the oldest is removed.  Equal content makes no revision.  Blocks.
 * The result is that of replace_file(): ret_lost (empty otherwise) reports a
 * revision that cannot be kept, and nothing else changes.
 */
int revisions_replace(const char *path, const void *data, size_t len,
		      struct errmsg *error, struct errmsg *ret_lost) MUST_CHECK;

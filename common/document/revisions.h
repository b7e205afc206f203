/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions of a file before the one that is there: FILE.1 is the last. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stddef.h>

enum { REVISIONS_MAX = 10 };

/*
 * replace_file(), and what stood there before becomes FILE.1, FILE.1 becomes
 * FILE.2 and so on; the oldest goes.  Content that is there already makes no
 * revision.  Blocks.  The result is that of replace_file(): a revision that
 * cannot be kept is told in ret_lost (empty otherwise) and changes nothing.
 */
int revisions_replace(const char *path, const void *data, size_t len,
		      struct errmsg *why, struct errmsg *ret_lost) MUST_CHECK;

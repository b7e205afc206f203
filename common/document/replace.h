/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts new content in the place of a file: whole, or not at all. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stddef.h>

/*
 * Temporary file in the same folder, fsync, rename, fsync of the folder.  Mode
 * and, where allowed, owner of the old file are kept; a new file is 0600.  A
 * symbolic link stays, its target is replaced.  Blocks.  0, or -errno with the
 * step that failed in error.  The old file is then untouched.  But if the
 * folder could not be synced, the new file is there and may not last.
 */
int replace_file(const char *path, const void *data, size_t len,
		 struct errmsg *error) MUST_CHECK;

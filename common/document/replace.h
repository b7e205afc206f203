/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaces the content of a file atomically. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stddef.h>

/*
 * Writes a temporary file in the same folder, syncs it, renames it to path and
 * syncs the folder.  The new content keeps the mode of the old file, without
 * the rights of other users, and, where allowed, its owner; a new file is 0600.
 * A symbolic link stays, its target is replaced.  Blocks.  0, or -errno with
 * the step that failed in error.  After an error the old file is unchanged,
 * except when the sync of the folder failed: then the new file is in place and
 * may be lost in a crash of the machine.
 */
int replace_file(const char *path, const void *data, size_t len,
		 struct errmsg *error) MUST_CHECK;
/* As replace_file(), for a file that other users read: a new one is 0644, and
 * their right to read the old one is kept.  A symbolic link is replaced itself,
 * so that it leads into no other folder. */
int replace_public_file(const char *path, const void *data, size_t len,
			struct errmsg *error) MUST_CHECK;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the web interface from a folder, for those who work on them. */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

enum { STATIC_FOLDER_FILE_MAX = 4 * 1024 * 1024 };

/* Appends the content of a regular file below the folder: no symbolic link and
 * no ".." leads out of it.  0 or -errno; ret is empty then. */
int static_folder_read(const char *folder, const char *name,
		       struct buf *ret) MUST_CHECK;

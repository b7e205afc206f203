/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads files of the web interface from a folder, for its developers. */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

enum { STATIC_FOLDER_FILE_MAX = 4 * 1024 * 1024 };

/* Appends the content of a regular file below the folder; neither a symbolic
 * link nor ".." can lead out of it.  Returns 0, or -errno with ret empty. */
int static_folder_read(const char *folder, const char *name,
		       struct buf *ret) MUST_CHECK;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands in for a configuration that cannot be used: FILE.backup or one
 * of the revisions FILE.1 to FILE.10.  Blocks; for the start.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <jansson.h>

/*
 * The newest sound one whose digest is not bad; that of digest good rather
 * than all others.  Both may be "".  NULL when there is none.  *ret_source is
 * its file; free() it.
 */
json_t *rescue_find(const char *path, const char *good, const char *bad,
		    char **ret_source);

/*
 * Keeps what stands in the file as FILE.broken-<time> and puts document there.
 * *ret_kept is that name, free() it; NULL when it could not be kept, with why,
 * and then the file is as it was.
 */
int rescue_put(const char *path, const json_t *document, char **ret_kept,
	       struct errmsg *why) MUST_CHECK;

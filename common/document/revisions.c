/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/revisions.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/document/document.h"
#include "common/document/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes room for aside at the place of FILE.1. */
static void shift(const char *path, const char *aside, struct errmsg *ret_lost)
{
	char *to = xasprintf("%s.%d", path, REVISIONS_MAX);

	for (int i = REVISIONS_MAX - 1; i >= 0; i--) {
		char *from = i > 0 ? xasprintf("%s.%d", path, i)
				   : xstrdup(aside);

		if (rename(from, to) < 0 && errno != ENOENT)
			errmsg_set(ret_lost, "cannot rename %s: %s", from,
				   strerror(errno));
		free(to);
		to = from;
	}
	free(to);
	/* still there when it was FILE.1 before */
	(void)unlink(aside);
}

int revisions_replace(const char *path, const void *data, size_t len,
		      struct errmsg *error, struct errmsg *ret_lost)
{
	char *aside = xasprintf("%s.0", path);
	struct buf old = { 0 };
	bool keep = false;
	int r;

	ret_lost->text[0] = '\0';
	r = document_read(path, &old);
	if (r == 0 && (buf_len(&old) != len ||
		       (len > 0 && memcmp(buf_head(&old), data, len) != 0))) {
		/*
		 * A second name for the old file needs no space and is complete
		 * at once.  A copy replaces it on another file system, or where
		 * the file has another owner.
		 */
		(void)unlink(aside);
		keep = linkat(AT_FDCWD, path, AT_FDCWD, aside,
			      AT_SYMLINK_FOLLOW) == 0 ||
		       replace_file(aside, buf_head(&old), buf_len(&old),
				    ret_lost) == 0;
	} else if (r < 0 && r != -ENOENT) {
		errmsg_set(ret_lost, "cannot read %s: %s", path, strerror(-r));
	}
	buf_done(&old);
	r = replace_file(path, data, len, error);
	if (r == 0 && keep)
		shift(path, aside, ret_lost);
	else if (keep)
		(void)unlink(aside);
	free(aside);
	return r;
}

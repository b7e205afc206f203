/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/worker_path.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char installed[] = LIBEXECDIR "/sluice-worker";

/* Returns path if the file can be executed.  Otherwise frees it and returns
 * NULL with errno. */
static char *if_executable(char *path)
{
	int saved;

	if (access(path, X_OK) == 0)
		return path;
	saved = errno;
	free(path);
	errno = saved;
	return NULL;
}

char *worker_path_find(struct errmsg *error)
{
	const char *wanted = getenv("SLUICE_WORKER");
	char self[PATH_MAX], *path = NULL;
	ssize_t len;

	if (wanted != NULL) {
		path = if_executable(xstrdup(wanted));
		if (path == NULL)
			errmsg_set(error, "SLUICE_WORKER: %s: %s", wanted,
				   strerror(errno));
		return path;
	}
	len = readlink("/proc/self/exe", self, sizeof self - 1);
	self[MAX(len, 0)] = '\0';
	if (strrchr(self, '/') != NULL)
		path = if_executable(
			xasprintf("%.*s/sluice-worker",
				  (int)(strrchr(self, '/') - self), self));
	if (path == NULL)
		path = if_executable(xstrdup(installed));
	if (path == NULL)
		errmsg_set(error, "%s: %s", installed, strerror(errno));
	return path;
}

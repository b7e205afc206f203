/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/worker_path.h"

#include "common/base/alloc.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char installed[] = LIBEXECDIR "/sluice-worker";

/* path if it can be executed; else frees it: NULL with errno. */
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

static char *beside_us(void)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (len < 0)
		return NULL;
	self[len] = '\0';
	slash = strrchr(self, '/');
	if (slash == NULL)
		return NULL;
	*slash = '\0';
	return if_executable(xasprintf("%s/sluice-worker", self));
}

char *worker_path_find(struct errmsg *error)
{
	const char *wanted = getenv("SLUICE_WORKER");
	char *path;

	if (wanted != NULL) {
		path = if_executable(xstrdup(wanted));
		if (path == NULL)
			errmsg_set(error, "SLUICE_WORKER: %s: %s", wanted,
				   strerror(errno));
		return path;
	}
	path = beside_us();
	if (path == NULL)
		path = if_executable(xstrdup(installed));
	if (path == NULL)
		errmsg_set(error, "%s: %s", installed, strerror(errno));
	return path;
}

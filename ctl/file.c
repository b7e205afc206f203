/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/file.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int file_read(const char *path, size_t max, char **ret, struct stat *stat,
	      struct errmsg *error)
{
	bool standard = strcmp(path, "-") == 0;
	int fd = standard ? dup(STDIN_FILENO)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct buf text = { 0 };
	int r = fd < 0 ? -errno : 0;

	if (r == 0 && stat != NULL && fstat(fd, stat) < 0)
		r = -errno;
	if (r == 0)
		r = fd_read_all(fd, max, &text);
	fd_close(&fd);
	if (r == 0)
		*ret = xstrndup((const char *)buf_head(&text),
				buf_len(&text));
	buf_wipe(&text, text.size);
	buf_done(&text);
	return r == 0 ? 0
		      : errmsg_fail(error, r, "%s: %s",
				    standard ? "standard input" : path,
				    r == -EFBIG ? "is too large"
						: strerror(-r));
}

int file_write_private(const char *path, const char *text, struct errmsg *error)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	char *folder = xstrdup(path);
	int fd = -1, r = 0;

	for (char *p = strchr(folder + 1, '/'); p != NULL && r == 0;
	     p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(folder, 0700) < 0 && errno != EEXIST)
			r = -errno;
		*p = '/';
	}
	free(folder);

	if (r == 0) {
		fd = mkostemp(temporary, O_CLOEXEC); /* its mode is 0600 */
		r = fd < 0 ? -errno : fd_write_all(fd, text, strlen(text));
	}
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		(void)unlink(temporary);
	fd_close(&fd);
	free(temporary);
	return r == 0 ? 0 : errmsg_fail(error, r, "%s: %s", path, strerror(-r));
}

int file_read_json(const char *path, json_t **ret, struct errmsg *error)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
	bool standard = strcmp(path, "-") == 0;
	json_error_t json_error;
	json_t *value;
	char *text;
	int r = file_read(path, FILE_JSON_MAX, &text, NULL, error);

	if (r < 0)
		return r;
	value = json_loads(text, flags, &json_error);
	free(text);
	if (value == NULL)
		return errmsg_fail(error, -EINVAL, "%s:%d:%d: %s",
		                   standard ? "standard input" : path,
		                   json_error.line, json_error.column,
		                   json_error.text);
	*ret = value;
	return 0;
}

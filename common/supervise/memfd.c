/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/memfd.h"

#include "common/base/alloc.h"
#include "common/document/document.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int memfd_open(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Writes or reads all bytes from the start of the file; 0 or -errno. */
static int transfer(int fd, bool writes, char *text, size_t len)
{
	for (size_t done = 0; done < len;) {
		char *at = text + done;
		size_t left = len - done;
		ssize_t n = writes ? pwrite(fd, at, left, (off_t)done)
				   : pread(fd, at, left, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

int memfd_write(int fd, const char *text, size_t len)
{
	if (ftruncate(fd, 0) < 0)
		return -errno;
	return transfer(fd, true, (char *)(uintptr_t)text, len);
}

json_t *memfd_read_json(int fd, struct errmsg *error)
{
	json_t *document = NULL;
	struct stat st;
	char *text;
	int err;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_size > DOCUMENT_SIZE_MAX) {
		errmsg_set(error, "descriptor %d is not a document", fd);
		return NULL;
	}
	text = xcalloc(1, (size_t)st.st_size + 1);
	err = transfer(fd, false, text, (size_t)st.st_size);
	if (err < 0)
		errmsg_set(error, "cannot be read: %s", strerror(-err));
	else
		document = document_parse(text, (size_t)st.st_size, error);
	free(text);
	return document;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/pem_source.h"

#include "common/base/fd.h"
#include "common/supervise/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

bool pem_source_is_text(const char *value)
{
	return strstr(value, "-----BEGIN ") != NULL;
}

int pem_source_open(const char *value, struct errmsg *error)
{
	struct stat st;
	int fd, err;

	if (pem_source_is_text(value)) {
		fd = memfd_open("pem");
		err = fd < 0 ? fd : memfd_write(fd, value, strlen(value));
		if (err < 0) {
			fd_close(&fd);
			return errmsg_fail(error, err, "%s", strerror(-err));
		}
		return fd;
	}
	fd = open(value, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errmsg_fail(error, -errno, "%.180s: %s", value,
				   strerror(errno));
	/* a pipe or a device could block the worker */
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		fd_close(&fd);
		return errmsg_fail(error, -EINVAL, "%.180s: not a regular file",
				   value);
	}
	return fd;
}

int pem_pair_open(const char *chain, const char *key, struct pem_pair *ret,
		  struct errmsg *error)
{
	struct pem_pair pair = { .chain = pem_source_open(chain, error),
				 .key = -1 };

	if (pair.chain < 0) {
		errmsg_prefix(error, "crt_chain: ");
		return pair.chain;
	}
	pair.key = pem_source_open(key, error);
	if (pair.key < 0) {
		errmsg_prefix(error, "crt_key: ");
		fd_close(&pair.chain);
		return pair.key;
	}
	*ret = pair;
	return 0;
}

void pem_pair_close(struct pem_pair *pair)
{
	fd_close(&pair->chain);
	fd_close(&pair->key);
}

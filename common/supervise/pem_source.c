/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/pem_source.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/loop/helper.h"
#include "common/supervise/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define STDIN "/dev/stdin"

bool pem_source_is_stdin(const char *value)
{
	return strcmp(value, STDIN) == 0;
}

/* Returns a copy of the standard input in a memfd, because every reader needs
 * an offset of its own.  -EINVAL: it is no regular file; another -errno. */
static int copy_stdin(void)
{
	struct stat st;
	off_t at = 0;
	ssize_t n = 1;
	int fd;

	if (fstat(STDIN_FILENO, &st) < 0 || !S_ISREG(st.st_mode))
		return -EINVAL;
	fd = memfd_open("pem");
	while (fd >= 0 && n > 0 && at < PEM_STDIN_MAX) {
		n = sendfile(fd, STDIN_FILENO, &at, PEM_STDIN_MAX);
		if (n < 0 && errno == EINTR)
			n = 1;
	}
	if (fd >= 0 && (n < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
		int err = -errno;

		fd_close(&fd);
		return err;
	}
	return fd;
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
	if (pem_source_is_stdin(value)) {
		fd = copy_stdin();
		if (fd == -EINVAL)
			return errmsg_fail(error, fd, STDIN ": not a regular "
					   "file: start the service with the "
					   "file as its standard input");
		return fd < 0 ? errmsg_fail(error, fd, STDIN ": %s",
					    strerror(-fd))
			      : fd;
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

/* --- in a helper thread --- */

struct opening {
	char *chain, *key;
	pem_opened_fn *done;
	struct pem_pair pair;
	struct errmsg error;
	int result;
};

static void opening_run(void *job)
{
	struct opening *p = job;

	p->result = pem_pair_open(p->chain, p->key, &p->pair, &p->error);
}

static void opening_done(void *job, void *arg)
{
	struct opening *p = job;
	struct pem_pair pair = p->pair;

	p->pair = (struct pem_pair){ -1, -1 };
	p->done(p->result, &pair, &p->error, arg);
}

static void opening_free(void *job)
{
	struct opening *p = job;

	pem_pair_close(&p->pair);
	free(p->chain);
	free(p->key);
	free(p);
}

static bool is_same_file(const char *a, const char *b)
{
	return !pem_source_is_text(a) && strcmp(a, b) == 0;
}

static bool opening_is_same(const void *a, const void *b)
{
	const struct opening *p = a, *q = b;

	return is_same_file(p->chain, q->chain) ||
	       is_same_file(p->key, q->key) ||
	       is_same_file(p->chain, q->key) || is_same_file(p->key, q->chain);
}

struct helper_call *pem_opening_new(struct helpers *helpers, const char *chain,
				    const char *key, pem_opened_fn *done,
				    void *arg)
{
	static const struct helper_kind kind = {
		.run = opening_run,
		.done = opening_done,
		.free = opening_free,
		.is_same = opening_is_same,
	};
	struct opening *p = xcalloc(1, sizeof *p);

	p->chain = xstrdup(chain);
	p->key = xstrdup(key);
	p->done = done;
	p->pair = (struct pem_pair){ -1, -1 };
	return helper_call_new(helpers, &kind, p, arg);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/epg_file.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/shared.h"
#include "common/document/replace.h"
#include "common/loop/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PART = 64 * 1024 };

struct epg_file {
	struct helpers *helpers;
	char *path;
	/* other users may read the file: replace_public_file() writes it */
	bool is_public;
};

/* A copy from the file to memory, or from memory to the file. */
struct job {
	char *path;
	bool is_public;
	int fd; /* the memory; -1: none */
	size_t len; /* bytes to write, or greatest number of bytes to read */
	int result;
	struct errmsg error;
	epg_file_read_fn *on_read;
	epg_file_written_fn *on_written;
	void *arg;
};

static void job_free(void *job)
{
	struct job *j = job;

	fd_close(&j->fd);
	free(j->path);
	free(j);
}

static struct job *job_new(const struct epg_file *f, size_t len, void *arg)
{
	struct job *j = xcalloc(1, sizeof *j);

	j->path = xstrdup(f->path);
	j->is_public = f->is_public;
	j->fd = -1;
	j->len = len;
	j->arg = arg;
	return j;
}

/* --- from the file --- */

static int copy(int from, int to, size_t len)
{
	char part[PART];
	size_t pos = 0;

	while (pos < len) {
		ssize_t n = pread(from, part, MIN(len - pos, sizeof part),
				  (off_t)pos);

		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		if (pwrite(to, part, (size_t)n, (off_t)pos) != n)
			return -EIO;
		pos += (size_t)n;
	}
	return 0;
}

static void run_read(void *job)
{
	struct job *j = job;
	int from = open(j->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (from < 0 || fstat(from, &st) < 0)
		j->result = -errno;
	else if (!S_ISREG(st.st_mode) || st.st_size == 0)
		j->result = -ENODATA;
	else if ((uintmax_t)st.st_size > j->len)
		j->result = -EFBIG;
	else
		j->result = j->fd = shared_create("epg", (size_t)st.st_size);
	if (j->fd >= 0)
		j->result = copy(from, j->fd, (size_t)st.st_size);
	fd_close(&from);
}

static void read_done(void *job, void *arg)
{
	const struct job *j = job;

	(void)arg;
	j->on_read(j->result < 0 ? j->result : j->fd, j->arg);
}

void epg_file_read(struct epg_file *f, size_t max, epg_file_read_fn *on_read,
		   void *arg)
{
	static const struct helper_kind kind = {
		.run = run_read, .done = read_done, .free = job_free,
	};
	struct job *j = job_new(f, max, arg);

	j->on_read = on_read;
	(void)helper_call_new(f->helpers, &kind, j, f);
}

/* --- to the file --- */

static void run_write(void *job)
{
	struct job *j = job;
	char *text = malloc(j->len);

	if (text == NULL)
		j->result = errmsg_fail(&j->error, -ENOMEM, "no memory");
	else if (pread(j->fd, text, j->len, 0) != (ssize_t)j->len)
		j->result = errmsg_fail(&j->error, -EIO,
					"the memory of the guide is not "
					"readable");
	else if (j->is_public)
		j->result = replace_public_file(j->path, text, j->len,
						&j->error);
	else
		j->result = replace_file(j->path, text, j->len, &j->error);
	free(text);
}

static void write_done(void *job, void *arg)
{
	const struct job *j = job;

	(void)arg;
	j->on_written(j->result, &j->error, j->arg);
}

void epg_file_write(struct epg_file *f, int fd, size_t len,
		    epg_file_written_fn *on_written, void *arg)
{
	static const struct helper_kind kind = {
		.run = run_write, .done = write_done, .free = job_free,
	};
	struct job *j = job_new(f, len, arg);

	j->on_written = on_written;
	/* if this fails, run_write() cannot read, and reports the error */
	j->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	(void)helper_call_new(f->helpers, &kind, j, f);
}

/* --- the object --- */

struct epg_file *epg_file_new(struct ev_loop *loop, const char *path)
{
	struct epg_file *f = xcalloc(1, sizeof *f);

	f->helpers = helpers_new(loop, 1);
	f->path = xstrdup(path);
	return f;
}

struct epg_file *epg_file_new_public(struct ev_loop *loop, const char *path)
{
	struct epg_file *f = epg_file_new(loop, path);

	f->is_public = true;
	return f;
}

void epg_file_free(struct epg_file **fp)
{
	struct epg_file *f = *fp;

	*fp = NULL;
	if (f == NULL)
		return;
	helpers_free(&f->helpers);
	free(f->path);
	free(f);
}

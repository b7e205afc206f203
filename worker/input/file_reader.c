/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/file_reader.h"

#include "common/alloc.h"
#include "common/fd.h"
#include "common/mono.h"
#include "common/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the loop's thread and the one that reads; whoever leaves last frees it. */
struct file_reader {
	char *path;
	bool loop;
	_Atomic uint64_t asked_ns; /* the file, since then; 0: it answered */
	atomic_uint n;             /* blocks that are full */
	unsigned first;            /* of them; the loop's alone */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* there is room, or the end */
	bool left;              /* by the loop */
	bool ended;             /* the thread */

	struct file_block blocks[FILE_BLOCKS];
};

static void destroy(struct file_reader *r)
{
	(void)pthread_cond_destroy(&r->changed);
	(void)pthread_mutex_destroy(&r->lock);
	free(r->path);
	free(r);
}

/* --- in the thread --- */

/* The i-th block since the beginning when it is empty; NULL: nobody wants
 * it. */
static struct file_block *await_room(struct file_reader *r, unsigned i)
{
	bool left;

	(void)pthread_mutex_lock(&r->lock);
	while (!r->left && atomic_load(&r->n) == FILE_BLOCKS)
		(void)pthread_cond_wait(&r->changed, &r->lock);
	left = r->left;
	(void)pthread_mutex_unlock(&r->lock);
	return left ? NULL : &r->blocks[i % FILE_BLOCKS];
}

static void ask(struct file_reader *r)
{
	atomic_store(&r->asked_ns, mono_ns());
}

static void answered(struct file_reader *r)
{
	atomic_store(&r->asked_ns, 0);
}

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "is a folder";
	case S_IFIFO:
		return "is a pipe";
	case S_IFSOCK:
		return "is a socket";
	default:
		return "is a device";
	}
}

static int open_file(const char *path, struct errmsg *why)
{
	struct stat st;
	/* never waits for the writer of a named pipe */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) < 0) {
		int err = errno;

		fd_close(&fd);
		return errmsg_fail(why, -err, "%s: %s", path, strerror(err));
	}
	if (!S_ISREG(st.st_mode)) {
		fd_close(&fd);
		return errmsg_fail(why, -EINVAL, "%s: %s, not a file", path,
				   kind_of(st.st_mode));
	}
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return fd;
}

/* Reads the block at *offset, which goes on; false when it was the last. */
static bool read_block(const struct file_reader *r, int fd, off_t *offset,
		       struct file_block *b)
{
	ssize_t n = pread(fd, b->data, FILE_BLOCK, *offset);
	bool again = r->loop && *offset > 0;

	if (n > 0) {
		b->kind = FILE_BLOCK_DATA;
		b->len = (size_t)n;
		*offset += n;
		return true;
	}
	b->len = 0;
	*offset = 0;
	if (n == 0) {
		b->kind = FILE_BLOCK_END;
		return again;
	}
	b->kind = FILE_BLOCK_ERROR;
	b->err = errmsg_fail(&b->why, -errno, "%s: %s", r->path,
			     strerror(errno));
	return false;
}

static void read_all(struct file_reader *r)
{
	struct file_block *b = &r->blocks[0];
	off_t offset = 0;
	unsigned i = 0;
	bool more;
	int fd;

	ask(r);
	fd = open_file(r->path, &b->why);
	if (fd < 0) {
		b->kind = FILE_BLOCK_ERROR;
		b->err = fd;
		answered(r);
		(void)atomic_fetch_add(&r->n, 1);
		return;
	}
	do {
		ask(r);
		more = read_block(r, fd, &offset, b);
		answered(r);
		(void)atomic_fetch_add(&r->n, 1);
		b = more ? await_room(r, ++i) : NULL;
	} while (b != NULL);
	fd_close(&fd);
}

static void *run(void *arg)
{
	struct file_reader *r = arg;
	bool last;

	read_all(r);
	(void)pthread_mutex_lock(&r->lock);
	r->ended = true;
	last = r->left;
	(void)pthread_mutex_unlock(&r->lock);
	if (last)
		destroy(r);
	return NULL;
}

/* --- in the loop --- */

struct file_reader *file_reader_new(const char *path, bool loop, int *ret_err)
{
	struct file_reader *r = xcalloc(1, sizeof *r);
	pthread_t thread;

	r->path = xstrdup(path);
	r->loop = loop;
	atomic_store(&r->asked_ns, mono_ns());
	(void)pthread_mutex_init(&r->lock, NULL);
	(void)pthread_cond_init(&r->changed, NULL);
	*ret_err = thread_start(&thread, run, r);
	if (*ret_err < 0) {
		destroy(r);
		return NULL;
	}
	(void)pthread_detach(thread);
	return r;
}

void file_reader_free(struct file_reader **ptr)
{
	struct file_reader *r = *ptr;
	bool last;

	*ptr = NULL;
	if (r == NULL)
		return;
	(void)pthread_mutex_lock(&r->lock);
	r->left = true;
	last = r->ended;
	(void)pthread_cond_signal(&r->changed);
	(void)pthread_mutex_unlock(&r->lock);
	if (last)
		destroy(r);
}

const struct file_block *file_reader_peek(const struct file_reader *r)
{
	return atomic_load(&r->n) > 0 ? &r->blocks[r->first] : NULL;
}

void file_reader_drop(struct file_reader *r)
{
	r->first = (r->first + 1) % FILE_BLOCKS;
	(void)pthread_mutex_lock(&r->lock);
	(void)atomic_fetch_sub(&r->n, 1);
	(void)pthread_cond_signal(&r->changed);
	(void)pthread_mutex_unlock(&r->lock);
}

unsigned file_reader_waits_ms(const struct file_reader *r, uint64_t now_ns)
{
	uint64_t asked_ns = atomic_load(&r->asked_ns);

	if (asked_ns == 0 || now_ns <= asked_ns)
		return 0;
	return (unsigned)((now_ns - asked_ns) / 1000000);
}

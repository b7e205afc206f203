/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/file_reader.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/file_list.h"
#include "common/base/mono.h"
#include "common/loop/thread.h"
#include "common/base/units.h"
#include "worker/core/hidden.h"
#include "worker/core/private.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Shared by the loop and the thread; the last user frees it. */
struct file_reader {
	char *path;
	bool loop;
	bool list;
	/* blocks filled since the start; only for the thread */
	unsigned filled;
	/* start of a wait for the disk; 0: no wait */
	_Atomic uint64_t asked_ns;
	atomic_uint n;             /* blocks that are full */
	/* index of the oldest full block; only for the loop */
	unsigned first;

	pthread_mutex_t lock;
	pthread_cond_t changed; /* a block is free, or `left' is set */
	bool left;              /* the loop has freed the reader */
	bool ended;             /* the thread ended */

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

/* Waits until at most `full' blocks are full.  False: the loop has freed the
 * reader, and the thread must end. */
static bool await_blocks(struct file_reader *r, unsigned full)
{
	bool left;

	(void)pthread_mutex_lock(&r->lock);
	while (!r->left && atomic_load(&r->n) > full)
		(void)pthread_cond_wait(&r->changed, &r->lock);
	left = r->left;
	(void)pthread_mutex_unlock(&r->lock);
	return !left;
}

/* Opens a file.  Returns the descriptor, or -errno with an error that does not
 * name the path. */
static int open_file(const char *path, struct errmsg *error)
{
	struct stat st;
	/* O_NONBLOCK: opening a named pipe must not wait for its writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) < 0) {
		int err = errno;

		if (err == EACCES && private_is_key(path))
			return errmsg_fail(error, -err, "is the private key of "
					   "the service");
		if (err == EACCES && hidden_by_sandbox(path))
			return errmsg_fail(error, -err, "the file was created "
					   "after the start of this worker: a "
					   "new worker opens it within a minute"
					   );
		fd_close(&fd);
		return errmsg_fail(error, -err, "%s", strerror(err));
	}
	if (!S_ISREG(st.st_mode)) {
		const char *kind = S_ISDIR(st.st_mode) ? "folder"
				   : S_ISFIFO(st.st_mode) ? "pipe"
				   : S_ISSOCK(st.st_mode) ? "socket"
							  : "device";

		fd_close(&fd);
		return errmsg_fail(error, -EINVAL, "is a %s, not a file", kind);
	}
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return fd;
}

static struct file_block *block_of(struct file_reader *r)
{
	return &r->blocks[r->filled % FILE_BLOCKS];
}

/* Passes the full block to the loop, and waits for an empty one.  False: the
 * loop has freed the reader. */
static bool pass_block(struct file_reader *r)
{
	(void)atomic_fetch_add(&r->n, 1);
	r->filled++;
	return await_blocks(r, FILE_BLOCKS - 1);
}

/* Passes a block about file i of the list to the loop: it begins, or with
 * `error' it cannot be read.  False: the loop has freed the reader. */
static bool pass_file(struct file_reader *r, const struct file_list *l,
		      size_t i, const struct errmsg *error)
{
	struct file_block *b = block_of(r);

	b->kind = error != NULL ? FILE_BLOCK_SKIP : FILE_BLOCK_BEGIN;
	b->len = 0;
	b->at = i;
	(void)snprintf((char *)b->data, sizeof b->data, "%s", l->paths[i]);
	if (error != NULL)
		b->error = *error;
	return pass_block(r);
}

/* Reads a file to its end.  Returns its size in bytes, or -errno with error;
 * -ECANCELED: the loop has freed the reader. */
static int64_t read_through(struct file_reader *r, int fd, struct errmsg *error)
{
	off_t offset = 0;
	ssize_t n;

	do {
		struct file_block *b = block_of(r);

		atomic_store(&r->asked_ns, mono_ns());
		n = pread(fd, b->data, FILE_BLOCK, offset);
		if (n < 0)
			n = errmsg_fail(error, -errno, "%s", strerror(errno));
		atomic_store(&r->asked_ns, 0);
		if (n < 0)
			return n;
		b->kind = n > 0 ? FILE_BLOCK_DATA : FILE_BLOCK_END;
		b->len = (size_t)n;
		if (!pass_block(r))
			return -ECANCELED;
		offset += n;
	} while (n > 0);
	return offset;
}

static int ask_for(struct file_reader *r, const char *path,
		   struct errmsg *error)
{
	int fd;

	atomic_store(&r->asked_ns, mono_ns());
	fd = open_file(path, error);
	atomic_store(&r->asked_ns, 0);
	return fd;
}

/* Asks for access to a file that the list names.  A list may play no files of
 * the service and no recordings of other streams (worker/core/private.h).  0,
 * or -errno with error. */
static int ask_for_line(struct file_reader *r, const char *path,
			struct errmsg *error)
{
	bool may;

	atomic_store(&r->asked_ns, mono_ns());
	may = private_list_may(r->path, path);
	atomic_store(&r->asked_ns, 0);
	if (!may)
		return errmsg_fail(error, -EACCES, "is a file of the service "
				   "or a recording of another stream, which "
				   "a list does not play");
	return ask_for(r, path, error);
}

static int read_one(struct file_reader *r, struct errmsg *error)
{
	int fd = ask_for(r, r->path, error);
	int64_t n = fd;

	/* an empty file is not repeated */
	if (fd >= 0)
		do
			n = read_through(r, fd, error);
		while (n > 0 && r->loop);
	fd_close(&fd);
	if (n < 0)
		errmsg_prefix(error, "%s: ", r->path);
	return n < 0 ? (int)n : 0;
}

static int load_list(struct file_reader *r, struct file_list *ret,
		     struct errmsg *error)
{
	const size_t size = FILE_LIST_BYTES_MAX + 1;
	int fd = ask_for(r, r->path, error), err;
	size_t len = 0;
	ssize_t n = 1;
	char *text;

	if (fd < 0) {
		errmsg_prefix(error, "%s: ", r->path);
		return fd;
	}
	text = xcalloc(1, size);
	atomic_store(&r->asked_ns, mono_ns());
	while (n > 0 && len < size) {
		n = pread(fd, text + len, size - len, (off_t)len);
		len += n > 0 ? (size_t)n : 0;
	}
	err = n < 0 ? errmsg_fail(error, -errno, "%s: %s", r->path,
				  strerror(errno))
		    : file_list_read(r->path, text, len, ret, error);
	atomic_store(&r->asked_ns, 0);
	free(text);
	fd_close(&fd);
	return err;
}

static int play_list(struct file_reader *r, const struct file_list *l,
		     struct errmsg *error)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct errmsg failed = { 0 };
		int fd = ask_for_line(r, l->paths[i], &failed);
		int64_t n = fd;

		if (fd >= 0)
			n = pass_file(r, l, i, NULL)
				    ? read_through(r, fd, &failed)
				    : -ECANCELED;
		fd_close(&fd);
		if (n == -ECANCELED ||
		    (n < 0 && !pass_file(r, l, i, &failed)))
			return -ECANCELED;
		bytes += MAX(n, 0);
	}
	if (bytes == 0)
		return errmsg_fail(error, -ENOENT, "%s: none of its files can "
				   "be played", r->path);
	return 0;
}

static int read_list(struct file_reader *r, struct errmsg *error)
{
	struct file_list list;
	int err;

	do {
		/* reads the list only when all blocks are played, so that its
		 * newest version follows */
		if (!await_blocks(r, 0))
			return -ECANCELED;
		err = load_list(r, &list, error);
		if (err < 0)
			return err;
		err = play_list(r, &list, error);
		file_list_done(&list);
	} while (err == 0 && r->loop);
	return err;
}

static void *run(void *arg)
{
	struct file_reader *r = arg;
	struct errmsg error = { 0 };
	int err = r->list ? read_list(r, &error) : read_one(r, &error);
	struct file_block *b = block_of(r);
	bool last;

	if (err != -ECANCELED) {
		b->kind = err < 0 ? FILE_BLOCK_ERROR : FILE_BLOCK_LAST;
		b->len = 0;
		b->err = err;
		b->error = error;
		(void)atomic_fetch_add(&r->n, 1);
	}
	(void)pthread_mutex_lock(&r->lock);
	r->ended = true;
	last = r->left;
	(void)pthread_mutex_unlock(&r->lock);
	if (last)
		destroy(r);
	return NULL;
}

/* --- in the loop --- */

struct file_reader *file_reader_new(const char *path, bool loop, bool list,
				    int *ret_err)
{
	struct file_reader *r = xcalloc(1, sizeof *r);
	pthread_t thread;

	r->path = xstrdup(path);
	r->loop = loop;
	r->list = list;
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
	return (unsigned)((now_ns - asked_ns) / MS);
}

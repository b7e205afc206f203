/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/log/log_file.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/loop/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NOTHING_NEW = 1, MODE_NEW = 0640, BUFFER_KEEP = 64 * 1024 };

struct log_file {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;

	/* protected by the lock */
	struct buf waiting;
	uint64_t max_size;
	unsigned dropped; /* lines dropped since the last written one */
	int result;    /* 0 or -errno of the last write or rotation */
	bool tried;    /* the first attempt to open the file has ended */
	bool told;     /* result was reported */
	bool closing;  /* no further line will be queued */
	bool left;     /* the thread frees this object */

	/* used by the thread only */
	char *path;
	int fd; /* -1: not open */
	uint64_t size;
	int rotated; /* result of the last rotation: 0 or -errno */
};

static void destroy(struct log_file *f)
{
	fd_close(&f->fd);
	buf_done(&f->waiting);
	(void)pthread_cond_destroy(&f->wake);
	(void)pthread_mutex_destroy(&f->lock);
	free(f->path);
	free(f);
}

/* --- the thread --- */

/* 0 for an empty file, or a file that begins as logs of this program do: with a
 * time, or with the report of dropped lines.  -EEXIST: it begins otherwise;
 * another -errno: it cannot be read.  other: it must be this file; -1: any
 * regular file. */
static int judge_begin(const char *path, int other)
{
	static const char dropped[] = "log: ", time[] = "0000-00-00T00:00:00.";
	char head[sizeof time];
	int reader = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
					O_NOFOLLOW);
	int err = reader < 0 ? -errno : -EACCES;
	struct stat a, b;
	ssize_t n = -1;

	if (reader >= 0 && fstat(reader, &a) == 0 && S_ISREG(a.st_mode) &&
	    (other < 0 || (fstat(other, &b) == 0 && fd_same_file(&a, &b))))
		n = read(reader, head, sizeof time - 1);
	else if (reader >= 0 && other < 0)
		err = -EEXIST;
	fd_close(&reader);
	if (n < 0)
		return err;
	if (n >= (ssize_t)sizeof dropped - 1 &&
	    memcmp(head, dropped, sizeof dropped - 1) == 0)
		return 0;
	for (ssize_t i = 0; i < n; i++)
		if (time[i] == '0' ? head[i] < '0' || head[i] > '9'
				   : head[i] != time[i])
			return -EEXIST;
	return n == 0 || n == (ssize_t)sizeof time - 1 ? 0 : -EEXIST;
}

static int open_file(struct log_file *f)
{
	struct stat st;
	int err = 0;

	/* A FIFO must not block the thread, and a terminal must not become that
	 * of the process.  Both are rejected below. */
	f->fd = open(f->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC |
				      O_NOCTTY | O_NONBLOCK | O_NOFOLLOW,
		     MODE_NEW);
	if (f->fd < 0)
		return -errno;
	if (fstat(f->fd, &st) < 0)
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	else if (st.st_size > 0)
		err = judge_begin(f->path, f->fd);
	if (err == 0)
		f->size = (uint64_t)st.st_size;
	if (err < 0)
		fd_close(&f->fd);
	return err;
}

static int rotate(struct log_file *f)
{
	char *to;
	int err = 0;

	/* rotation removes or renames the archives: -ENOTUNIQ if a file with
	 * such a name is not a log of this program */
	for (int i = 1; i <= LOG_FILE_ARCHIVES && err == 0; i++) {
		char *name = xasprintf("%s.%d", f->path, i);

		err = judge_begin(name, -1);
		err = err == 0 || err == -ENOENT ? 0 : -ENOTUNIQ;
		free(name);
	}
	if (err < 0)
		return err;
	to = xasprintf("%s.%d", f->path, LOG_FILE_ARCHIVES);
	for (int i = LOG_FILE_ARCHIVES - 1; i >= 0; i--) {
		char *from = i > 0 ? xasprintf("%s.%d", f->path, i)
				   : xstrdup(f->path);

		if (rename(from, to) < 0 && i == 0)
			err = -errno;
		free(to);
		to = from;
	}
	free(to);
	if (err < 0)
		return err;
	fd_close(&f->fd);
	return open_file(f);
}

static int write_line(struct log_file *f, const char *line, size_t len,
		      uint64_t max_size)
{
	int err = f->fd < 0 ? open_file(f) : 0;

	bool due = err == 0 && max_size > 0 && f->size > 0 &&
		   f->size + len > max_size;

	/* a file that cannot be rotated continues to grow */
	f->rotated = due ? rotate(f) : 0;
	if (err == 0 && f->fd < 0)
		err = open_file(f);
	while (err == 0 && len > 0) {
		ssize_t n = write(f->fd, line, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		f->size += (uint64_t)n;
		line += n;
		len -= (size_t)n;
	}
	return err;
}

static unsigned count_lines(const char *data, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += data[i] == '\n';
	return n;
}

/* Writes lines, without the lock.  *dropped lines are reported first; it then
 * has the number of lines that could not be written.  *ret_err: 0, or -errno
 * of the write or of the rotation. */
static void write_batch(struct log_file *f, struct buf *lines,
			unsigned *dropped, uint64_t max_size, int *ret_err)
{
	const char *at = (const char *)buf_head(lines);
	size_t left = buf_len(lines);
	struct stat here, open;
	char line[96];

	/* another file at the path takes the place of the open one */
	if (f->fd < 0 || lstat(f->path, &here) < 0 ||
	    fstat(f->fd, &open) < 0 || !fd_same_file(&here, &open))
		fd_close(&f->fd);
	*ret_err = f->fd < 0 ? open_file(f) : 0;
	if (*ret_err == 0 && *dropped > 0) {
		(void)snprintf(line, sizeof line,
			       "log: %u lines dropped: the disk failed or was "
			       "too slow\n", *dropped);
		*ret_err = write_line(f, line, strlen(line), max_size);
	}
	if (*ret_err < 0) {
		*dropped += count_lines(at, left);
		return;
	}
	*dropped = 0;
	while (left > 0) {
		const char *end = memchr(at, '\n', left);
		size_t len = end != NULL ? (size_t)(end + 1 - at) : left;

		*ret_err = write_line(f, at, len, max_size);
		if (*ret_err < 0) {
			*dropped = count_lines(at, left);
			return;
		}
		at += len;
		left -= len;
	}
	*ret_err = f->rotated;
}

/* Writes the lines that wait; `lines' is memory for them.  Called with the
 * lock, which it releases meanwhile. */
static void work(struct log_file *f, struct buf *lines)
{
	struct buf empty = *lines;
	uint64_t max_size = f->max_size;
	unsigned dropped = f->dropped;
	int err;

	*lines = f->waiting;
	f->waiting = empty;
	f->dropped = 0;
	(void)pthread_mutex_unlock(&f->lock);
	write_batch(f, lines, &dropped, max_size, &err);
	buf_reset(lines, BUFFER_KEEP);
	(void)pthread_mutex_lock(&f->lock);
	f->dropped += dropped;
	f->tried = true;
	if (err != f->result) {
		f->result = err;
		f->told = false;
	}
}

/* Waits for lines, or for the time to try a failed file again.  False: all is
 * written, and no line will follow. */
static bool wait_for_work(struct log_file *f)
{
	struct timespec at;
	int r = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += LOG_FILE_RETRY_S;
	while (buf_len(&f->waiting) == 0 && !f->closing && r == 0)
		r = f->result < 0 ? pthread_cond_timedwait(&f->wake, &f->lock,
							   &at)
				  : pthread_cond_wait(&f->wake, &f->lock);
	return buf_len(&f->waiting) > 0 || !f->closing;
}

static void *run(void *arg)
{
	struct log_file *f = arg;
	struct buf lines = { 0 };
	bool left;

	(void)pthread_mutex_lock(&f->lock);
	/* the first call opens the file, perhaps without a line */
	do
		work(f, &lines);
	while (wait_for_work(f));
	left = f->left;
	(void)pthread_mutex_unlock(&f->lock);
	buf_done(&lines);
	if (left)
		destroy(f);
	return NULL;
}

/* --- the functions of the header --- */

struct log_file *log_file_open(const char *path, uint64_t max_size)
{
	struct log_file *f = xcalloc(1, sizeof *f);
	pthread_condattr_t clock;

	f->path = xstrdup(path);
	f->fd = -1;
	f->max_size = max_size;
	f->told = true;
	(void)pthread_mutex_init(&f->lock, NULL);
	(void)pthread_condattr_init(&clock);
	(void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&f->wake, &clock);
	(void)pthread_condattr_destroy(&clock);
	if (thread_start(&f->thread, run, f) == 0)
		return f;
	destroy(f);
	return NULL;
}

static void end(struct log_file *f, bool left)
{
	(void)pthread_mutex_lock(&f->lock);
	f->closing = true;
	f->left = left;
	(void)pthread_cond_signal(&f->wake);
	(void)pthread_mutex_unlock(&f->lock);
}

void log_file_leave(struct log_file **p)
{
	struct log_file *f = *p;
	pthread_t thread;

	*p = NULL;
	if (f == NULL)
		return;
	thread = f->thread;
	end(f, true);
	(void)pthread_detach(thread);
}

void log_file_close(struct log_file **p)
{
	struct log_file *f = *p;

	*p = NULL;
	if (f == NULL)
		return;
	end(f, false);
	/* false: the disk does not answer, and the process exits without
	 * freeing f */
	if (thread_join(f->thread))
		destroy(f);
}

void log_file_limit(struct log_file *f, uint64_t max_size)
{
	(void)pthread_mutex_lock(&f->lock);
	f->max_size = max_size;
	(void)pthread_mutex_unlock(&f->lock);
}

void log_file_write(struct log_file *f, const char *lines, size_t len)
{
	(void)pthread_mutex_lock(&f->lock);
	if (buf_len(&f->waiting) + len > LOG_FILE_WAITING_MAX)
		f->dropped += count_lines(lines, len);
	else
		buf_append(&f->waiting, lines, len);
	(void)pthread_cond_signal(&f->wake);
	(void)pthread_mutex_unlock(&f->lock);
}

int log_file_result(struct log_file *f, unsigned *ret_dropped)
{
	int result;

	(void)pthread_mutex_lock(&f->lock);
	result = f->tried ? f->result : NOTHING_NEW;
	*ret_dropped = f->dropped;
	(void)pthread_mutex_unlock(&f->lock);
	return result;
}

int log_file_news(struct log_file *f)
{
	int news = NOTHING_NEW;

	(void)pthread_mutex_lock(&f->lock);
	if (!f->told)
		news = f->result;
	f->told = true;
	(void)pthread_mutex_unlock(&f->lock);
	return news;
}

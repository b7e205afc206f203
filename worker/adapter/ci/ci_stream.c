/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/ci/ci_stream.h"

#include "common/base/alloc.h"
#include "common/base/units.h"
#include "common/loop/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RETRY_S = 1 };

struct ci_stream {
	struct ci_stream_config cfg;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* guarded by lock */
	bool stop;
	bool broken; /* the device failed: the thread is to close fd */
	int fd;      /* -1: closed */
	struct ci_stream_state state;
};

static int open_one(struct ci_stream *s, const char *kind, char *path)
{
	(void)snprintf(path, CI_STREAM_PATH, "%s/adapter%d/%s%d", s->cfg.root,
		       s->cfg.adapter, kind, s->cfg.device);
	return s->cfg.ops->open(s->cfg.ctx, path, O_RDWR | O_NONBLOCK);
}

static bool is_absent(int err)
{
	return err == -ENOENT || err == -ENODEV || err == -ENXIO;
}

/* Opens the device.  The lock is not held, because open() may block in the
 * driver. */
static void open_device(struct ci_stream *s)
{
	struct ci_stream_state state = { 0 };
	char path[CI_STREAM_PATH];
	int fd = open_one(s, "ci", path);

	if (is_absent(fd))
		fd = open_one(s, "sec", path);
	state.open = fd >= 0;
	state.absent = is_absent(fd);
	if (state.absent)
		errmsg_set(&state.error, "no CI slot: %s/adapter%d has neither "
			   "ci%d nor sec%d", s->cfg.root, s->cfg.adapter,
			   s->cfg.device, s->cfg.device);
	else if (fd == -EBUSY)
		errmsg_set(&state.error, "%s is busy: another program uses it",
			   path);
	else if (fd == -EACCES || fd == -EPERM)
		errmsg_set(&state.error, "no permission for %s: the service "
			   "needs the group video", path);
	else if (fd < 0)
		errmsg_set(&state.error, "cannot open %s: %s", path,
			   strerror(-fd));
	if (fd == -EACCES)
		memcpy(state.forbidden, path, sizeof path);
	(void)pthread_mutex_lock(&s->lock);
	s->fd = fd >= 0 ? fd : -1;
	s->state = state;
	(void)pthread_mutex_unlock(&s->lock);
}

/* Closes the device after an error, or when the owner wants the thread to end.
 * False: the thread shall end.  *ret_closed: the device was closed. */
static bool take_requests(struct ci_stream *s, bool *ret_closed)
{
	int fd = -1;
	bool stop;

	(void)pthread_mutex_lock(&s->lock);
	stop = s->stop;
	if (s->broken || stop) {
		fd = s->fd;
		s->fd = -1;
		s->state.open = s->broken = false;
	}
	(void)pthread_mutex_unlock(&s->lock);
	*ret_closed = fd >= 0;
	if (*ret_closed)
		(void)s->cfg.ops->close(s->cfg.ctx, fd);
	return !stop;
}

static void *run(void *arg)
{
	struct ci_stream *s = arg;
	struct timespec until;
	bool closed;

	while (take_requests(s, &closed)) {
		/* a device that was just closed is opened after a pause; only
		 * this thread assigns an open descriptor to fd */
		if (s->fd < 0 && !closed)
			open_device(s);
		(void)clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += RETRY_S;
		(void)pthread_mutex_lock(&s->lock);
		if (!s->stop && !s->broken)
			(void)pthread_cond_timedwait(&s->wake, &s->lock,
						     &until);
		(void)pthread_mutex_unlock(&s->lock);
	}
	return NULL;
}

struct ci_stream *ci_stream_new(const struct ci_stream_config *cfg,
				int *ret_err)
{
	struct ci_stream *s = xcalloc(1, sizeof *s);
	pthread_condattr_t attr;

	s->cfg = *cfg;
	s->fd = -1;
	(void)pthread_mutex_init(&s->lock, NULL);
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&s->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	*ret_err = thread_start(&s->thread, run, s);
	if (*ret_err == 0)
		return s;
	free(s);
	return NULL;
}

void ci_stream_free(struct ci_stream **ps)
{
	struct ci_stream *s = *ps;

	*ps = NULL;
	if (s == NULL)
		return;
	(void)pthread_mutex_lock(&s->lock);
	s->stop = true;
	(void)pthread_cond_signal(&s->wake);
	(void)pthread_mutex_unlock(&s->lock);
	/* a thread that hangs in a driver still uses the struct, so its memory
	 * is never freed */
	if (!thread_join(s->thread))
		return;
	(void)pthread_cond_destroy(&s->wake);
	(void)pthread_mutex_destroy(&s->lock);
	free(s);
}

void ci_stream_reopen(struct ci_stream *s)
{
	(void)pthread_mutex_lock(&s->lock);
	s->broken = s->fd >= 0;
	(void)pthread_cond_signal(&s->wake);
	(void)pthread_mutex_unlock(&s->lock);
}

void ci_stream_get(struct ci_stream *s, struct ci_stream_state *ret)
{
	(void)pthread_mutex_lock(&s->lock);
	*ret = s->state;
	(void)pthread_mutex_unlock(&s->lock);
}

/* Converts the result of read() or write(); an error marks the device as
 * broken.  The caller holds the lock. */
static ssize_t judge(struct ci_stream *s, ssize_t n)
{
	if (n == -EAGAIN || n == -EINTR)
		return 0;
	if (n < 0) {
		s->broken = true;
		s->state.open = false;
		errmsg_set(&s->state.error, "the CI slot failed: %s",
			   strerror((int)-n));
		(void)pthread_cond_signal(&s->wake);
	}
	return n;
}

ssize_t ci_stream_write(struct ci_stream *s, const void *data, size_t size)
{
	ssize_t n = -ENODEV;

	(void)pthread_mutex_lock(&s->lock);
	if (s->fd >= 0 && !s->broken)
		n = judge(s, s->cfg.ops->write(s->cfg.ctx, s->fd, data, size));
	(void)pthread_mutex_unlock(&s->lock);
	return n;
}

ssize_t ci_stream_read(struct ci_stream *s, void *ret, size_t size)
{
	ssize_t n = -ENODEV;

	(void)pthread_mutex_lock(&s->lock);
	if (s->fd >= 0 && !s->broken)
		n = judge(s, s->cfg.ops->read(s->cfg.ctx, s->fd, ret, size));
	(void)pthread_mutex_unlock(&s->lock);
	return n;
}

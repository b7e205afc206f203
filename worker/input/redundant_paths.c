/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/redundant_paths.h"

#include "common/base/fd.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

void redundant_paths_init(struct redundant_paths *p, size_t n)
{
	*p = (struct redundant_paths){ .n = n, .fd = -1 };
	for (size_t i = 0; i < n; i++)
		p->path[i].fd = -1;
}

int redundant_paths_make_fd(struct redundant_paths *p, struct errmsg *error)
{
	if (p->n == 1)
		return 0;
	p->fd = epoll_create1(EPOLL_CLOEXEC);
	if (p->fd < 0)
		return errmsg_fail(error, -errno, "epoll: %s", strerror(errno));
	return 0;
}

void redundant_paths_done(struct redundant_paths *p)
{
	if (p->n > 1)
		fd_close(&p->fd);
}

/* Sets the descriptor of path i, and adds it to the epoll set.  The previous
 * descriptor was closed, which has removed it from the epoll set. */
static void wait_for(struct redundant_paths *p, size_t i, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	p->path[i].fd = fd;
	if (p->n == 1)
		p->fd = fd;
	else if (p->fd >= 0 && fd >= 0)
		(void)epoll_ctl(p->fd, EPOLL_CTL_ADD, fd, &e);
}

void redundant_path_set_fd(struct redundant_paths *p, size_t i, int fd)
{
	if (p->path[i].fd != fd)
		wait_for(p, i, fd);
}

void redundant_path_opened(struct redundant_paths *p, size_t i, int fd)
{
	struct redundant_path *path = &p->path[i];

	p->n_open += !path->open;
	path->open = true;
	path->err = 0;
	path->error.text[0] = '\0';
	retry_worked(&path->retry);
	wait_for(p, i, fd);
}

void redundant_path_failed(struct redundant_paths *p, size_t i, int err,
			   const struct errmsg *error)
{
	struct redundant_path *path = &p->path[i];

	p->n_open -= path->open;
	path->open = false;
	path->err = err;
	path->error = *error;
	wait_for(p, i, -1);
}

int redundant_paths_check(const struct redundant_paths *p, struct errmsg *error)
{
	if (p->n_open > 0)
		return 0;
	for (size_t i = 0; i < p->n; i++)
		if (p->path[i].err == 0)
			return 0;
	*error = p->path[0].error;
	return p->path[0].err;
}

void redundant_paths_every_second(struct redundant_paths *p,
				  const struct path_state *states)
{
	bool many = p->n > 1, any_delivers = false;

	for (size_t i = 0; i < p->n; i++)
		any_delivers |= states[i].delivers;
	p->error.text[0] = p->senders.text[0] = '\0';
	/* the error of the first path overwrites the others */
	for (size_t i = p->n; i-- > 0;) {
		struct redundant_path *path = &p->path[i];
		const struct path_state *s = &states[i];
		const char *error = s->error, *senders = s->senders;

		if (!path->open && path->error.text[0] != '\0')
			error = path->error.text;
		/* a silent path is an error only while another one delivers */
		if (s->delivers)
			path->silent_s = 0;
		else if (any_delivers && !s->optional)
			path->silent_s++;
		if (error == NULL && any_delivers &&
		    path->silent_s >= PATH_SILENT_S)
			error = s->silence != NULL ? s->silence : "no packets";
		if (error != NULL && many)
			errmsg_set(&p->error, "path %zu: %s", i + 1, error);
		else if (error != NULL)
			errmsg_set(&p->error, "%s", error);
		if (senders == NULL || senders[0] == '\0')
			continue;
		if (!many)
			errmsg_set(&p->senders, "%s", senders);
		else if (p->senders.text[0] == '\0')
			errmsg_set(&p->senders, "path %zu: %s", i + 1, senders);
		else
			errmsg_prefix(&p->senders, "path %zu: %s; ", i + 1,
				      senders);
	}
	p->unprotected = many && p->n_open > 0 && p->error.text[0] != '\0';
	p->unprotected_s += p->unprotected;
}

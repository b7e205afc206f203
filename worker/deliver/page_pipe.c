/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/page_pipe.h"

#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The default of fs.pipe-max-size.  If the kernel allows less, a pass at a high
 * rate sends the bytes that do not fit by sendfile(). */
enum { PIPE_SIZE = 1024 * 1024 };

void page_pipe_open(struct page_pipe *p)
{
	p->open = true;
	p->from[0] = p->from[1] = p->copy[0] = p->copy[1] = -1;
	p->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	p->failed = p->null < 0 || pipe2(p->from, O_CLOEXEC | O_NONBLOCK) < 0 ||
		    pipe2(p->copy, O_CLOEXEC | O_NONBLOCK) < 0;
	if (p->failed)
		return;
	/* the copy must have room for all of `from': a short tee() would look
	 * like a full socket */
	if (fcntl(p->copy[1], F_SETPIPE_SZ, PIPE_SIZE) >= 0)
		(void)fcntl(p->from[1], F_SETPIPE_SZ, PIPE_SIZE);
}

void page_pipe_done(struct page_pipe *p)
{
	if (!p->open)
		return;
	for (size_t i = 0; i < 2; i++) {
		fd_close(&p->from[i]);
		fd_close(&p->copy[i]);
	}
	fd_close(&p->null);
	*p = (struct page_pipe){ 0 };
}

/* Releases len bytes of a pipe.  If that fails, the pipes are not used any
 * more. */
static void drop(struct page_pipe *p, int pipe, size_t len)
{
	while (len > 0 && !p->failed) {
		ssize_t n = splice(pipe, NULL, p->null, NULL, len, 0);

		p->failed = n == 0 || (n < 0 && errno != EINTR);
		len -= n > 0 ? (size_t)n : 0;
	}
	if (p->failed)
		p->len = 0;
}

void page_pipe_empty(struct page_pipe *p)
{
	drop(p, p->from[0], p->len);
	p->len = 0;
}

void page_pipe_fill(struct page_pipe *p, int fd, off_t at, size_t len)
{
	ssize_t n;

	if (!p->open)
		page_pipe_open(p);
	page_pipe_empty(p);
	if (p->failed)
		return;
	n = splice(fd, &at, p->from[1], NULL, len, SPLICE_F_NONBLOCK);
	p->len = n > 0 ? (size_t)n : 0;
}

bool page_pipe_copy(struct page_pipe *p, const void *data, size_t len)
{
	ssize_t n = -1;

	if (!p->open)
		page_pipe_open(p);
	if (!p->failed)
		n = write(p->from[1], data, len);
	p->len += n > 0 ? (size_t)n : 0;
	return n == (ssize_t)len;
}

ssize_t page_pipe_send(struct page_pipe *p, int fd)
{
	ssize_t held = tee(p->from[0], p->copy[1], p->len, SPLICE_F_NONBLOCK);
	ssize_t sent;
	int err;

	if (held <= 0) {
		p->failed = true;
		p->len = 0;
		errno = EINTR;
		return -1;
	}
	sent = splice(p->copy[0], NULL, fd, NULL, (size_t)held,
		      SPLICE_F_NONBLOCK);
	err = errno;
	/* empty the copy, because the next socket begins with the first page */
	if (sent < held)
		drop(p, p->copy[0], (size_t)(held - (sent > 0 ? sent : 0)));
	errno = err;
	return sent;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pages that one pass sends to many viewers: those of a ring, or a copy.
 *
 * sendfile() finds every page of the ring again for each viewer.  Here a pass
 * finds them once and puts references to them into a pipe.  Each socket then
 * gets the references of the pipe, and still no copy of a byte.  Sockets that
 * must get copies share one copy in this way.
 *
 * Embedded; zeroed memory is closed.  Once it is open, it owns two pipes and a
 * descriptor of /dev/null.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct page_pipe {
	bool open, failed;
	int from[2]; /* pipe with the pages of the pass */
	int copy[2]; /* pipe for the references that go to a socket */
	int null;
	size_t len;  /* bytes in the pipe `from' */
	uint64_t pos; /* position in the stream of the first of these bytes */
};

/* Opens the pipes before their first use.  If that fails, page_pipe_fill() and
 * page_pipe_copy() take no bytes. */
void page_pipe_open(struct page_pipe *);
void page_pipe_done(struct page_pipe *);

/* Takes the pages of at most len bytes at an offset of the file; p->len is 0 if
 * that is not possible. */
void page_pipe_fill(struct page_pipe *, int fd, off_t at, size_t len);

/* Adds a copy of these bytes, whose pages never change.  False: not all of them
 * were taken. */
bool page_pipe_copy(struct page_pipe *, const void *data, size_t len);

/* Sends all bytes to a non-blocking socket.  Returns as sendfile().  After
 * EINTR the pipe may be unusable (p->len is 0): use ring_send() then. */
ssize_t page_pipe_send(struct page_pipe *, int fd);

/* Releases the pages. */
void page_pipe_empty(struct page_pipe *);

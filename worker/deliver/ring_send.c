/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/ring_send.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

/* Reads bytes at pos of the ring into the shared copy, unless it has them.
 * Returns their number, at most len; -1 on failure. */
static ssize_t copy_bytes(const struct ring_send *s, off_t at, uint64_t pos,
			  size_t len)
{
	struct ring_copy *c = s->copy;
	ssize_t n;

	if (c->pos == pos && c->len > 0)
		return (ssize_t)MIN(len, c->len);
	c->pos = pos;
	c->len = 0;
	n = pread(s->ring_fd, c->data, MIN(len, sizeof c->data), at);
	c->len = n > 0 ? (size_t)n : 0;
	return n;
}

ssize_t ring_send(const struct ring_send *s, int fd, uint64_t pos, size_t len,
		  size_t *ret_len)
{
	off_t at = ring_file_offset(s->reader, pos, len, ret_len);
	ssize_t n;

	if (!s->copied)
		return sendfile(fd, s->ring_fd, &at, *ret_len);
	n = copy_bytes(s, at, pos, *ret_len);
	if (n <= 0)
		return n;
	*ret_len = (size_t)n;
	return send(fd, s->copy->data, (size_t)n, MSG_NOSIGNAL);
}

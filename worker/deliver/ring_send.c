/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/ring_send.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COPY_MAX = 64 * 1024 }; /* bytes copied at once */

ssize_t ring_send(const struct ring_send *s, int fd, uint64_t pos, size_t len,
		  size_t *ret_len)
{
	off_t at = ring_file_offset(s->reader, pos, len, ret_len);
	uint8_t block[COPY_MAX];
	ssize_t n;

	if (!s->copied)
		return sendfile(fd, s->ring_fd, &at, *ret_len);
	*ret_len = MIN(*ret_len, sizeof block);
	n = pread(s->ring_fd, block, *ret_len, at);
	return n > 0 ? send(fd, block, (size_t)n, MSG_NOSIGNAL) : n;
}

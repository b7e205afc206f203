/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/librist/rist_place.h"

#include "common/base/fd.h"

#include <errno.h>
#include <string.h>

static int try_one(const struct sockaddr_any *at, bool listens,
		   struct errmsg *error)
{
	int fd = socket(at->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r = fd < 0 ? -errno : 0;
	char text[SOCKADDR_TEXT_MAX];

	/* several sockets may be bound to one group */
	if (r == 0 && listens && !sockaddr_is_multicast(at) &&
	    bind(fd, &at->sa, at->len) < 0)
		r = -errno;
	fd_close(&fd);
	if (r == 0)
		return 0;
	sockaddr_format(at, text);
	return errmsg_fail(error, r, "rist: %s %s: %s",
			   listens ? "listen on" : "call", text, strerror(-r));
}

int rist_check_address(const struct sockaddr_any *at, bool listens, bool pair,
		       struct errmsg *error)
{
	struct sockaddr_any next = *at;
	int r = try_one(at, listens, error);

	if (r < 0 || !listens || !pair)
		return r;
	sockaddr_move_port(&next, 1);
	return try_one(&next, listens, error);
}

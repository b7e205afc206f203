/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/core/kernel_tls.h"

#include <errno.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TYPE_ALERT = 21 };

bool kernel_tls_exists(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool exists;

	if (fd < 0)
		return false;
	/* ENOTCONN: the module exists, but the socket is not connected */
	exists = setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 3) == 0 ||
		 errno == ENOTCONN;
	(void)close(fd);
	return exists;
}

bool kernel_tls_sends(int fd)
{
	/* for a buffer of this size the kernel returns no key */
	struct tls_crypto_info info;
	socklen_t len = sizeof info;

	return getsockopt(fd, SOL_TLS, TLS_TX, &info, &len) == 0;
}

void kernel_tls_end(int fd)
{
	uint8_t close_notify[] = { 1, 0 };
	struct iovec bytes = { close_notify, sizeof close_notify };
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(1)];
	} control = { .space = "" };
	struct msghdr m = { .msg_iov = &bytes, .msg_iovlen = 1,
			    .msg_control = control.space,
			    .msg_controllen = sizeof control.space };
	struct cmsghdr *type = CMSG_FIRSTHDR(&m);

	type->cmsg_level = SOL_TLS;
	type->cmsg_type = TLS_SET_RECORD_TYPE;
	type->cmsg_len = CMSG_LEN(1);
	*CMSG_DATA(type) = TYPE_ALERT;
	(void)sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)shutdown(fd, SHUT_WR);
}

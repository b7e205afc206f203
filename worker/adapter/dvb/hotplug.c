/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/adapter/dvb/hotplug.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	MESSAGE_MAX = 8192, /* the kernel sends at most 2 KiB of fields */
	GROUP_KERNEL = 1,
	GROUP_UDEV = 2,
};

int hotplug_open(void)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = GROUP_KERNEL | GROUP_UDEV,
	};
	int on = 1, err;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
	    bind(fd, (struct sockaddr *)&address, sizeof address) == 0)
		return fd;
	err = -errno;
	(void)close(fd);
	return err;
}

bool hotplug_is_dvb(const char *message, size_t len)
{
	static const char field[] = "SUBSYSTEM=dvb";
	const char *end = message + len, *at = message, *next;

	/* fields end with NUL; the binary head of udev's message has NULs,
	 * too */
	for (; at < end; at = next + 1) {
		next = memchr(at, '\0', (size_t)(end - at));
		if (next == NULL)
			break;
		if ((size_t)(next - at) == sizeof field - 1 &&
		    memcmp(at, field, sizeof field - 1) == 0)
			return true;
	}
	return false;
}

/* Did the kernel (port 0) or a process of root (udev) send the message?  Any
 * process may send to the group of udev. */
static bool is_trusted(struct msghdr *m)
{
	const struct sockaddr_nl *from = m->msg_name;
	const struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct ucred sender;

	if (m->msg_namelen != sizeof *from || c == NULL ||
	    c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
		return false;
	memcpy(&sender, CMSG_DATA(c), sizeof sender);
	return from->nl_groups == GROUP_KERNEL ? from->nl_pid == 0
					       : sender.uid == 0;
}

/* Takes one message.  1: it is about a DVB device; 0: about another device, or
 * from an untrusted sender; or -errno. */
static int take_one(int fd)
{
	char message[MESSAGE_MAX];
	char control[CMSG_SPACE(sizeof(struct ucred))];
	struct sockaddr_nl from = { 0 };
	struct iovec iov = { .iov_base = message, .iov_len = sizeof message };
	struct msghdr m = {
		.msg_name = &from, .msg_namelen = sizeof from,
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof control,
	};
	ssize_t n = recvmsg(fd, &m, MSG_DONTWAIT);

	if (n < 0)
		return -errno;
	return is_trusted(&m) && hotplug_is_dvb(message, (size_t)n);
}

bool hotplug_take(int fd)
{
	bool dvb = false;

	for (int i = 0; i < HOTPLUG_BURST; i++) {
		int r = take_one(fd);

		if (r == -ENOBUFS)
			dvb = true;
		else if (r < 0 && r != -EINTR)
			break;
		else if (r > 0)
			dvb = true;
	}
	return dvb;
}

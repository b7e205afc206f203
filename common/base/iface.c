/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/iface.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* Room for addresses that are added between the two calls of
 * list_addresses(). */
enum { SPARE = 16 };

_Static_assert(IFACE_NAME_MAX == IF_NAMESIZE, "a name of the kernel fits");

/* Lists the IPv4 addresses of this host; the caller frees ret->ifc_req.  0 or
 * -errno.  The first call returns their number; if more were added before the
 * second call than fit, both are repeated. */
static int list_addresses(int fd, struct ifconf *ret)
{
	struct ifconf all = { 0 };
	int size = 0;

	do {
		free(all.ifc_req);
		all = (struct ifconf){ 0 };
		if (ioctl(fd, SIOCGIFCONF, &all) < 0)
			return -errno;
		size = all.ifc_len + SPARE * (int)sizeof(struct ifreq);
		all.ifc_req = xcalloc(1, (size_t)size);
		all.ifc_len = size;
		if (ioctl(fd, SIOCGIFCONF, &all) < 0) {
			int r = -errno;

			free(all.ifc_req);
			return r;
		}
	} while (all.ifc_len > size - (int)sizeof(struct ifreq));
	*ret = all;
	return 0;
}

/* Writes the name of an interface that has the address, preferably one that is
 * up: an interface that is down may have the same address.  0; -ENODEV: none
 * has it. */
static int choose(int fd, const struct ifconf *all, struct in_addr address,
		  char ret[IFACE_NAME_MAX])
{
	size_t n = (size_t)all->ifc_len / sizeof(struct ifreq);
	bool up = false;
	int r = -ENODEV;

	for (size_t i = 0; i < n && !up; i++) {
		const struct ifreq *one = &all->ifc_req[i];
		const struct sockaddr_in *own =
			(const struct sockaddr_in *)(const void *)
				&one->ifr_addr;
		struct ifreq flags = { 0 };

		if (own->sin_family != AF_INET ||
		    own->sin_addr.s_addr != address.s_addr)
			continue;
		/* an address may have its own label: "eth0:news" */
		(void)snprintf(flags.ifr_name, sizeof flags.ifr_name, "%.*s",
			       (int)strcspn(one->ifr_name, ":"),
			       one->ifr_name);
		up = ioctl(fd, SIOCGIFFLAGS, &flags) == 0 &&
		     (flags.ifr_flags & IFF_UP) != 0;
		if (up || r < 0)
			memcpy(ret, flags.ifr_name, IFACE_NAME_MAX);
		r = 0;
	}
	return r;
}

/* ioctl() instead of getifaddrs(): netlink would transfer everything about each
 * interface while the worker must send packets. */
int iface_name(const char *text, char ret[IFACE_NAME_MAX])
{
	struct in_addr address;
	struct ifconf all = { 0 };
	int fd, r;

	if (inet_pton(AF_INET, text, &address) != 1) {
		(void)snprintf(ret, IFACE_NAME_MAX, "%s", text);
		return 0;
	}
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	r = list_addresses(fd, &all);
	if (r == 0) {
		r = choose(fd, &all, address, ret);
		free(all.ifc_req);
	}
	fd_close(&fd);
	return r;
}

const char *iface_why(int err)
{
	return err == -ENODEV ? "there is none with that address"
			      : strerror(-err);
}

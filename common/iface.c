/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/iface.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

_Static_assert(IFACE_NAME_MAX == IF_NAMESIZE, "a name of the kernel fits");

bool iface_is_address(const char *text)
{
	struct in_addr address;

	return inet_pton(AF_INET, text, &address) == 1;
}

static bool has(const struct ifaddrs *a, struct in_addr address)
{
	const struct sockaddr_in *own =
		(const struct sockaddr_in *)(const void *)a->ifa_addr;

	return own != NULL && own->sin_family == AF_INET &&
	       own->sin_addr.s_addr == address.s_addr;
}

int iface_name(const char *text, char ret[IFACE_NAME_MAX])
{
	struct ifaddrs *all = NULL, *one;
	struct in_addr address;
	int r = -ENODEV;

	if (inet_pton(AF_INET, text, &address) != 1) {
		(void)snprintf(ret, IFACE_NAME_MAX, "%s", text);
		return 0;
	}
	if (getifaddrs(&all) < 0)
		return r;
	for (one = all; one != NULL && !has(one, address); one = one->ifa_next)
		;
	if (one != NULL) {
		/* an address may have a label of its own: "eth0:news" */
		(void)snprintf(ret, IFACE_NAME_MAX, "%.*s",
			       (int)strcspn(one->ifa_name, ":"),
			       one->ifa_name);
		r = 0;
	}
	freeifaddrs(all);
	return r;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/iface_list.h"

#include "common/base/fd.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

static void close_iface(struct iface_list *l, struct iface *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (e->fds[i] >= 0)
			fd_close(&e->fds[i]);
	e->ifindex = 0;
}

void iface_list_init(struct iface_list *l)
{
	for (size_t i = 0; i < IFACES_MAX; i++)
		for (size_t k = 0; k < IFACE_SOCKETS_MAX; k++)
			l->ifaces[i].fds[k] = -1;
}

void iface_list_done(struct iface_list *l)
{
	for (size_t i = 0; i < IFACES_MAX; i++)
		close_iface(l, &l->ifaces[i]);
}

/* The entry of the interface, or the first free entry; NULL: all entries are
 * used by other interfaces. */
static struct iface *find_place(struct iface_list *l, unsigned ifindex)
{
	struct iface *place = NULL;

	for (size_t i = 0; i < IFACES_MAX; i++) {
		struct iface *one = &l->ifaces[i];

		if (one->ifindex == ifindex)
			return one;
		if (one->ifindex == 0 && place == NULL)
			place = one;
	}
	return place;
}

/* Copies the name of the interface without a label that follows it, as in
 * "eth0:1".  IPv4 addresses may have labels. */
static void copy_name(const struct ifaddrs *a, char name[static 16])
{
	(void)snprintf(name, 16, "%.*s", (int)strcspn(a->ifa_name, ":"),
		       a->ifa_name);
}

/* The address of an entry of getifaddrs(); len 0: it is of another interface,
 * or link-local. */
static struct sockaddr_any address_of(const struct ifaddrs *a,
				      const char *name)
{
	struct sockaddr_any address = { 0 };
	char own[16];

	copy_name(a, own);
	if (a->ifa_addr == NULL || strcmp(own, name) != 0)
		return address;
	if (a->ifa_addr->sa_family == AF_INET) {
		memcpy(&address.in, a->ifa_addr, sizeof address.in);
		address.len = sizeof address.in;
	} else if (a->ifa_addr->sa_family == AF_INET6) {
		memcpy(&address.in6, a->ifa_addr, sizeof address.in6);
		address.len = sizeof address.in6;
	}
	if (sockaddr_is_link_local(&address))
		address.len = 0;
	return address;
}

static struct sockaddr_any find_first(const struct ifaddrs *all,
				      const char *name, sa_family_t family)
{
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
		struct sockaddr_any address = address_of(a, name);

		if (address.len > 0 && address.sa.sa_family == family)
			return address;
	}
	return (struct sockaddr_any){ 0 };
}

static unsigned bits_of(const struct sockaddr *mask)
{
	const struct sockaddr_in6 *six = (const void *)mask;
	struct sockaddr_in four;
	unsigned bits = 0;

	if (mask->sa_family == AF_INET) {
		memcpy(&four, mask, sizeof four);
		return IP_BITS - 32 +
		       (unsigned)__builtin_popcount(four.sin_addr.s_addr);
	}
	for (size_t i = 0; i < IP_BYTES; i++)
		bits += (unsigned)__builtin_popcount(six->sin6_addr.s6_addr[i]);
	return bits;
}

static void find_networks(struct iface *iface, const struct ifaddrs *all)
{
	size_t n_v4 = 0, n_v6 = 0;

	iface->n_networks = 0;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next) {
		struct sockaddr_any address = address_of(a, iface->name);
		size_t *n = address.sa.sa_family == AF_INET ? &n_v4 : &n_v6;
		struct ip_prefix *p;

		if (address.len == 0 || a->ifa_netmask == NULL ||
		    *n == IFACE_NETWORKS_MAX)
			continue;
		++*n;
		p = &iface->networks[iface->n_networks++];
		p->bits = bits_of(a->ifa_netmask);
		p->address = ip_of(&address);
		ip_mask(&p->address, p->bits);
	}
}

static bool is_same(const struct sockaddr_any *a, const struct sockaddr_any *b)
{
	return a->len == b->len && (a->len == 0 || sockaddr_equal(a, b));
}

/* Updates an interface from an entry of getifaddrs().  0; -ENOSPC: all entries
 * of the list are used. */
static int update_iface(struct iface_list *l, const struct ifaddrs *all,
			const struct ifaddrs *a, unsigned ifindex)
{
	const unsigned wanted = IFF_UP | IFF_MULTICAST;
	struct iface *iface;
	char name[sizeof iface->name];
	struct sockaddr_any v4, v6;

	if ((a->ifa_flags & wanted) != wanted || ifindex == 0)
		return 0;
	iface = find_place(l, ifindex);
	if (iface == NULL)
		return -ENOSPC;
	if (iface->seen)
		return 0;
	copy_name(a, name);
	v4 = find_first(all, name, AF_INET);
	v6 = find_first(all, name, AF_INET6);
	if (iface->ifindex != 0 && (!is_same(&iface->v4, &v4) ||
				    !is_same(&iface->v6, &v6) ||
				    strcmp(iface->name, name) != 0))
		close_iface(l, iface);
	iface->seen = true;
	iface->ifindex = ifindex;
	iface->v4 = v4;
	iface->v6 = v6;
	memcpy(iface->name, name, sizeof iface->name);
	find_networks(iface, all);
	for (size_t i = 0; i < l->n; i++) {
		if (iface->fds[i] >= 0)
			continue;
		iface->fds[i] = l->open(iface, i);
		if (iface->fds[i] >= 0) {
			iface->opened++;
			continue;
		}
		if (l->error == 0)
			l->error = iface->fds[i];
		iface->fds[i] = -1;
	}
	return 0;
}

int iface_list_take(struct iface_list *l, const struct ifaddrs *all,
		    unsigned (*index_of)(const char *name),
		    struct errmsg *error)
{
	/* first interface without an entry; NULL: none */
	const struct ifaddrs *left = NULL;
	bool open = false;

	l->error = 0;
	for (size_t i = 0; i < IFACES_MAX; i++)
		l->ifaces[i].seen = false;
	for (const struct ifaddrs *a = all; a != NULL; a = a->ifa_next)
		if (update_iface(l, all, a, index_of(a->ifa_name)) < 0 &&
		    left == NULL)
			left = a;
	for (size_t i = 0; i < IFACES_MAX; i++) {
		if (l->ifaces[i].ifindex != 0 && !l->ifaces[i].seen)
			close_iface(l, &l->ifaces[i]);
		for (size_t k = 0; k < l->n; k++)
			open |= l->ifaces[i].fds[k] >= 0;
	}
	if (!open && l->error < 0)
		return errmsg_fail(error, l->error, "no multicast socket can "
				   "be opened: %s", strerror(-l->error));
	if (!open)
		return errmsg_fail(error, -ENODEV,
				   "no multicast interface is up");
	return left == NULL
		       ? 0 : errmsg_fail(error, -ENOSPC, "more than %d "
					 "interfaces: %s is not searched",
					 IFACES_MAX, left->ifa_name);
}

int iface_list_update(struct iface_list *l, struct errmsg *error)
{
	struct ifaddrs *all;
	int r;

	if (getifaddrs(&all) < 0)
		return errmsg_fail(error, -errno, "cannot list the network "
				   "interfaces: %s",
				   strerror(errno));
	r = iface_list_take(l, all, if_nametoindex, error);
	freeifaddrs(all);
	return r;
}

bool iface_has(const struct iface *iface, const struct sockaddr_any *s)
{
	struct ip_address address = ip_of(s);

	for (size_t i = 0; i < iface->n_networks; i++)
		if (ip_prefix_has(&iface->networks[i], &address))
			return true;
	return false;
}

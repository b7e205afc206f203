/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/iface_list.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

enum { LINES_MAX = 24 };

static struct iface_list list;
static struct errmsg error;
static int opened;
static bool refuses;

/* Addresses as getifaddrs() has them. */
static struct ifaddrs lines[LINES_MAX];
static struct sockaddr_any addresses[LINES_MAX], masks[LINES_MAX];
static size_t n_lines;

static int open_one(const struct iface *iface, size_t i)
{
	(void)iface, (void)i;
	if (refuses)
		return -EMFILE;
	opened++;
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void setup(void)
{
	list = (struct iface_list){ .n = 1, .open = open_one };
	iface_list_init(&list);
}

static void teardown(void)
{
	iface_list_done(&list);
}

TestSuite(iface_list, .init = setup, .fini = teardown);

static void add(const char *name, const char *address, const char *mask)
{
	struct ifaddrs *line = &lines[n_lines];

	cr_assert_eq(sockaddr_parse(address, 0, &addresses[n_lines]), 0);
	cr_assert_eq(sockaddr_parse(mask, 0, &masks[n_lines]), 0);
	*line = (struct ifaddrs){
		.ifa_name = (char *)(uintptr_t)name,
		.ifa_flags = IFF_UP | IFF_MULTICAST,
		.ifa_addr = &addresses[n_lines].sa,
		.ifa_netmask = &masks[n_lines].sa,
	};
	if (n_lines > 0)
		lines[n_lines - 1].ifa_next = line;
	n_lines++;
}

/* "eth7": 8 */
static unsigned index_of(const char *name)
{
	unsigned n;

	return sscanf(name, "eth%u", &n) == 1 ? n + 1 : 0;
}

static int take(void)
{
	return iface_list_take(&list, lines, index_of, &error);
}

Test(iface_list, knows_the_networks_of_an_interface)
{
	static const struct {
		const char *address;
		bool first, second; /* of eth0, of eth1 */
	} cases[] = {
		{ "192.0.2.127", true, false },
		{ "192.0.2.128", false, false },
		{ "198.51.100.9", true, false },
		{ "198.51.100.8", false, false },
		{ "10.9.8.7", false, true },
		{ "127.0.0.1", false, false },
		{ "203.0.113.1", false, false },
		{ "2001:db8:0:1::9", true, false },
		{ "2001:db8:0:2::9", false, false },
		{ "fe80::1", false, false },
	};

	add("eth0", "192.0.2.1", "255.255.255.128");
	add("eth0", "fe80::1", "ffff:ffff:ffff:ffff::");
	add("eth0", "2001:db8:0:1::1", "ffff:ffff:ffff:ffff::");
	add("eth1", "10.1.1.1", "255.0.0.0");
	add("eth0", "198.51.100.9", "255.255.255.255");
	cr_assert_eq(take(), 0);
	cr_expect_eq(opened, 2);
	/* searches leave from an address that other hosts can name */
	cr_expect(sockaddr_is_same_host(&list.ifaces[0].v6, &addresses[2]));
	cr_expect_eq(list.ifaces[1].v6.len, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sockaddr_any a;

		cr_assert_eq(sockaddr_parse(cases[i].address, 1900, &a), 0);
		cr_expect_eq(iface_has(&list.ifaces[0], &a), cases[i].first,
			     "%s", cases[i].address);
		cr_expect_eq(iface_has(&list.ifaces[1], &a), cases[i].second,
			     "%s", cases[i].address);
	}
}

Test(iface_list, takes_labels_of_addresses_as_one_interface)
{
	struct sockaddr_any a;

	add("eth0", "192.0.2.1", "255.255.255.0");
	add("eth0:1", "198.51.100.1", "255.255.255.0");
	add("eth1:a", "203.0.113.1", "255.255.255.0");
	for (int i = 0; i < 2; i++) {
		cr_assert_eq(take(), 0);
		cr_expect_eq(opened, 2, "the sockets stay open");
		cr_expect_str_eq(list.ifaces[0].name, "eth0");
		cr_expect_str_eq(list.ifaces[1].name, "eth1");
		cr_expect_eq(list.ifaces[2].ifindex, 0);
	}
	cr_assert_eq(sockaddr_parse("198.51.100.7", 1900, &a), 0);
	cr_expect(iface_has(&list.ifaces[0], &a));
	cr_expect(sockaddr_is_same_host(&list.ifaces[1].v4, &addresses[2]));
}

Test(iface_list, says_why_no_socket_is_open)
{
	cr_expect_eq(iface_list_take(&list, NULL, index_of, &error), -ENODEV);
	cr_expect_str_eq(error.text, "no multicast interface is up");
	add("eth0", "192.0.2.1", "255.255.255.0");
	refuses = true;
	cr_expect_eq(take(), -EMFILE);
	cr_expect_str_eq(error.text, "no multicast socket can be opened: Too "
			 "many open files");
	refuses = false;
	cr_expect_eq(take(), 0);
	cr_expect_eq(opened, 1);
}

Test(iface_list, names_an_interface_without_a_place)
{
	char name[IFACES_MAX + 1][16];

	for (unsigned i = 0; i <= IFACES_MAX; i++) {
		(void)snprintf(name[i], sizeof name[i], "eth%u", i);
		add(name[i], "192.0.2.1", "255.255.255.0");
	}
	cr_expect_eq(take(), -ENOSPC);
	cr_expect_str_eq(error.text,
			 "more than 16 interfaces: eth16 is not searched");
	cr_expect_eq(opened, IFACES_MAX);
	lines[3].ifa_flags = 0;
	(void)take(); /* the place is free at its end */
	cr_expect_eq(take(), 0);
	cr_expect_str_eq(list.ifaces[3].name, "eth16");
}

Test(iface_list, takes_a_limited_number_of_networks)
{
	char address[LINES_MAX - 1][16];
	struct sockaddr_any a;

	for (unsigned i = 0; i < LINES_MAX - 1; i++) {
		(void)snprintf(address[i], sizeof address[i], "10.%u.0.1", i);
		add("eth0", address[i], "255.255.0.0");
	}
	/* those of the other family have places of their own */
	add("eth0", "2001:db8::1", "ffff:ffff:ffff:ffff::");
	cr_assert_eq(take(), 0);
	cr_expect_eq(list.ifaces[0].n_networks, IFACE_NETWORKS_MAX + 1);
	cr_assert_eq(sockaddr_parse("2001:db8::9", 1900, &a), 0);
	cr_expect(iface_has(&list.ifaces[0], &a));
}

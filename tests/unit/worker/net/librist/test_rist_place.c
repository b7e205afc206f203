/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/fd.h"
#include "worker/net/librist/rist_place.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static struct sockaddr_any at(const char *host, uint16_t port)
{
	struct sockaddr_any a;

	cr_assert_eq(sockaddr_parse(host, port, &a), 0);
	return a;
}

/* Binds as librist does, with SO_REUSEADDR. */
static int taken(const struct sockaddr_any *a)
{
	int fd = socket(a->sa.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), yes = 1;

	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes,
				sizeof yes), 0);
	cr_assert_eq(bind(fd, &a->sa, a->len), 0);
	return fd;
}

/* An even port; the next one is free, too. */
static uint16_t free_pair(void)
{
	for (unsigned port = 20000 + (unsigned)getpid() % 10000 / 2 * 2;
	     port < 60000; port += 2) {
		struct sockaddr_any a = at("127.0.0.1", (uint16_t)port);

		if (rist_check_address(&a, true, true, NULL) == 0)
			return (uint16_t)port;
	}
	cr_assert(false, "no port");
	return 0;
}

Test(rist_place, rejects_a_port_in_use)
{
	uint16_t port = free_pair();
	struct sockaddr_any a = at("127.0.0.1", port);
	int fd = taken(&a);
	char wanted[100];
	struct errmsg error;

	(void)snprintf(wanted, sizeof wanted, "rist: listen on 127.0.0.1:%u: "
		       "Address already in use", (unsigned)port);
	cr_assert_eq(rist_check_address(&a, true, false, &error), -EADDRINUSE);
	cr_assert_str_eq(error.text, wanted);
	cr_assert_eq(rist_check_address(&a, false, true, &error), 0,
		     "it calls");
	fd_close(&fd);
	cr_assert_eq(rist_check_address(&a, true, false, &error), 0);
}

Test(rist_place, checks_both_ports_of_a_pair)
{
	uint16_t port = free_pair();
	struct sockaddr_any a = at("127.0.0.1", port);
	struct sockaddr_any next = at("127.0.0.1", (uint16_t)(port + 1));
	int fd = taken(&next);
	struct errmsg error;

	cr_assert_eq(rist_check_address(&a, true, false, &error), 0);
	cr_assert_eq(rist_check_address(&a, true, true, &error), -EADDRINUSE);
	fd_close(&fd);
	cr_assert_eq(rist_check_address(&a, true, true, &error), 0);
}

Test(rist_place, rejects_an_address_of_another_host)
{
	struct sockaddr_any a = at("192.0.2.7", 9000);
	struct errmsg error;

	cr_assert_eq(rist_check_address(&a, true, false, &error),
		     -EADDRNOTAVAIL);
	a = at("239.1.1.1", 9000);
	cr_assert_eq(rist_check_address(&a, true, false, &error), 0, "a group");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "worker/net/librist/rist_guard.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000, HELD_UP_MS = 30 };

static char place;
static struct sockaddr_any source;
static time_t set_s; /* how far the wall clock was set */
static unsigned held_up; /* number of readings of it that are delayed */

/* Replaces the function of libc. */
int clock_gettime(clockid_t clock, struct timespec *ret)
{
	bool long_one = clock == CLOCK_REALTIME && held_up > 0;
	int r;

	held_up -= long_one;
	if (long_one)
		(void)poll(NULL, 0, HELD_UP_MS);
	r = (int)syscall(SYS_clock_gettime, clock, ret);
	if (long_one)
		(void)poll(NULL, 0, HELD_UP_MS);
	if (clock == CLOCK_REALTIME)
		ret->tv_sec += set_s;
	return r;
}

static int bound(bool odd)
{
	for (uint16_t port = 20000 + odd; port < 30000; port += 2) {
		int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		struct sockaddr_any at;

		cr_assert_eq(sockaddr_parse("127.0.0.1", port, &at), 0);
		if (bind(fd, &at.sa, at.len) == 0)
			return fd;
		fd_close(&fd);
	}
	cr_assert(false, "no port");
	return -1;
}

/* A receiver of the simple profile, with a pair of ports. */
static void take(struct rist_guard *g, int sockets[2])
{
	struct rist_spec spec = { .profile = RIST_SIMPLE, .n_peers = 1 };
	struct errmsg error;

	spec.peers[0].listens = true;
	cr_assert_eq(sockaddr_parse("192.0.2.7", 5000, &source), 0);
	rist_guard_before_peer(g);
	for (int i = 0; i < 2; i++)
		sockets[i] = bound(i == 1);
	cr_assert_eq(rist_guard_after_peer(g, &spec, true, 0, &error), 0);
	cr_assert_eq(g->n, 2);
}

static bool admit(struct rist_guard *g, uint16_t port)
{
	return rist_guard_admit(g, &source, port, (struct rist_peer *)&place);
}

/* The source retries repeatedly. */
static bool is_admitted(struct rist_guard *g, uint16_t port)
{
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	while (mono_ms() < end_ms) {
		if (admit(g, port))
			return true;
		(void)poll(NULL, 0, 10);
	}
	return false;
}

Test(rist_guard, admits_a_source_that_tries_again)
{
	struct rist_guard g = { .n = 0 };
	int sockets[2];

	take(&g, sockets);
	cr_assert_not(admit(&g, 9000),
	              "the other port does not drop the source");
	cr_assert(is_admitted(&g, 9000));
	cr_assert_not(admit(&g, 9001), "it sends to the other port");
	cr_assert(admit(&g, 9000), "the port drops the source");
}

/* Sends an empty receiver report and an SDES item to the odd port. */
static bool arrives(int from, int at_fd)
{
	static const uint8_t report[] = { 0x80, 201, 0, 1, 1, 2, 3, 4,
					  0x81, 202, 0, 2, 1, 2, 3, 4,
					  1,    0,   0, 0 };
	struct sockaddr_any at = { .len = sizeof at.in6 };
	struct pollfd wait = { .fd = at_fd, .events = POLLIN };
	char byte;

	cr_assert_eq(getsockname(at_fd, &at.sa, &at.len), 0);
	cr_assert_eq(sendto(from, report, sizeof report, 0, &at.sa, at.len),
		     (ssize_t)sizeof report);
	/* a datagram of the loopback is there when it is sent */
	if (poll(&wait, 1, 0) != 1)
		return false;
	cr_assert_eq(recv(at_fd, &byte, 1, 0), 1);
	return true;
}

Test(rist_guard, a_source_whose_peer_is_gone_may_use_the_other_port)
{
	struct rist_guard g = { .n = 0 };
	int sockets[2], from = bound(true);

	take(&g, sockets);
	cr_assert_eq(getsockname(from, &source.sa, &source.len), 0);
	cr_assert(arrives(from, sockets[1]));
	cr_assert(is_admitted(&g, 9000));
	cr_assert_not(arrives(from, sockets[1]), "the source sends data");
	rist_guard_peer_gone(&g, (struct rist_peer *)&place);
	cr_assert(arrives(from, sockets[1]));
	cr_assert(is_admitted(&g, 9001));
	cr_assert(arrives(from, sockets[1]));
}

/* The next source of either kind ends the refusal. */
Test(rist_guard, a_source_that_sent_once_may_use_the_other_port_later)
{
	struct rist_guard g = { .n = 0 };
	int sockets[2], from = bound(true);

	take(&g, sockets);
	cr_assert_eq(getsockname(from, &source.sa, &source.len), 0);
	cr_assert_not(admit(&g, 9000));
	cr_assert_not(arrives(from, sockets[1]));
	g.sources.list[0].since_ns -= 31 * SECOND_NS;
	g.refused_ns = 0;
	cr_assert_eq(sockaddr_parse("127.0.0.1", 1, &source), 0);
	cr_assert_not(admit(&g, 9001));
	cr_assert(arrives(from, sockets[1]));
}

Test(rist_guard, does_not_wait_if_the_wall_clock_is_set)
{
	static const time_t steps_s[] = { -3600, 3600, -1, 86400 };
	struct rist_guard g = { .n = 0 };
	int sockets[2];

	take(&g, sockets);
	for (size_t i = 0; i < ARRAY_LEN(steps_s); i++) {
		cr_assert(is_admitted(&g, 9000), "before %zu", i);
		set_s += steps_s[i];
		cr_assert(is_admitted(&g, 9000), "after %zu", i);
	}
}

Test(rist_guard, a_delayed_thread_is_no_change_of_the_wall_clock)
{
	struct rist_guard g = { .n = 0 };
	int sockets[2];

	take(&g, sockets);
	held_up = 2;
	cr_assert(is_admitted(&g, 9000));
	for (int i = 0; i < 3; i++) {
		held_up = 2;
		cr_assert(admit(&g, 9000), "time %d", i);
		cr_assert_eq(held_up, 0);
	}
}

Test(rist_guard, repeats_a_failed_refusal)
{
	struct rist_guard g = { .n = 0 };
	int sockets[2], real;

	take(&g, sockets);
	real = g.sockets[1];
	g.sockets[1] = -1;
	cr_assert_not(admit(&g, 9000));
	g.sockets[1] = real;
	cr_assert(is_admitted(&g, 9000));
}

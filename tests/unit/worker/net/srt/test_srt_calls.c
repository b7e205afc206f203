/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/net/srt/srt_calls.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The state of every socket; replaces the function of libsrt. */
static SRT_SOCKSTATUS state = SRTS_CONNECTING;

SRT_SOCKSTATUS srt_getsockstate(SRTSOCKET s)
{
	(void)s;
	return state;
}

static struct sockaddr_any at(const char *host, uint16_t port)
{
	struct sockaddr_any any;

	cr_assert_eq(sockaddr_parse(host, port, &any), 0);
	return any;
}

/* Number of n calls from different ports that are admitted. */
static size_t count(struct srt_calls *c, const char *host, size_t n,
		    uint64_t now_ms)
{
	size_t admitted = 0;

	for (size_t i = 0; i < n; i++) {
		struct sockaddr_any from = at(host, (uint16_t)(1000 + i));

		admitted += srt_calls_admit(c, &from.sa, now_ms);
	}
	return admitted;
}

/* Number of hosts that are admitted with one call each; the first number
 * follows net, and so on. */
static size_t count_hosts(struct srt_calls *c, const char *net, unsigned first,
			  unsigned n)
{
	size_t admitted = 0;
	char host[64];

	for (unsigned i = first; i < first + n; i++) {
		(void)snprintf(host, sizeof host, "%s%u", net, i);
		admitted += count(c, host, 1, 5000);
	}
	return admitted;
}

Test(srt_calls, of_one_host_leave_room_for_others)
{
	struct srt_calls *c = srt_calls_new();

	cr_assert_eq(count(c, "192.0.2.1", 100, 5000), SRT_CALLS_OF_HOST_MAX);
	cr_assert_eq(count(c, "192.0.2.2", 10, 5500), 10);
	cr_assert_eq(count(c, "192.0.2.1", 10, 5999), 0);
	cr_assert_eq(count(c, "192.0.2.1", 10, 6000), 10);
	srt_calls_free(&c);
	cr_assert_null(c);
}

Test(srt_calls, are_bounded_in_a_second_for_all_hosts)
{
	struct srt_calls *c = srt_calls_new();

	cr_assert_eq(count_hosts(c, "192.0.2.", 0, 200), SRT_CALLS_MAX);
	srt_calls_free(&c);
}

Test(srt_calls, of_an_ipv6_prefix_count_as_one_host)
{
	struct srt_calls *c = srt_calls_new();

	cr_assert_eq(count_hosts(c, "2001:db8::", 0, 200),
		     SRT_CALLS_OF_HOST_MAX);
	cr_assert_eq(count(c, "2001:db8:1::1", 1, 5000), 1);
	srt_calls_free(&c);
}

/* The form in which they arrive at a listener on ::. */
Test(srt_calls, of_mapped_ipv4_addresses_count_for_each_host)
{
	struct srt_calls *c = srt_calls_new();

	cr_assert_eq(count(c, "::ffff:10.0.0.1", 100, 5000),
		     SRT_CALLS_OF_HOST_MAX);
	cr_assert_eq(count(c, "10.0.0.1", 1, 5000), 0, "the same one");
	cr_assert_eq(count_hosts(c, "::ffff:10.0.0.", 2, 50), 50);
	srt_calls_free(&c);
}

Test(srt_calls, that_succeed_are_not_reported)
{
	struct srt_calls *c = srt_calls_new();
	struct sockaddr_any one = at("192.0.2.1", 1), other;
	const char *error;

	srt_calls_add(c, SRT_INVALID_SOCK, &one.sa, NULL);
	srt_calls_connected(c, &one);
	cr_assert_not(srt_calls_take_failed(c, &other, &error));
	srt_calls_free(&c);
}

/* The caller of a listener with another passphrase: libsrt closes its socket,
 * and the next caller may be connected a moment later. */
Test(srt_calls, that_fail_are_reported_as_soon_as_their_socket_is_closed)
{
	struct srt_calls *c = srt_calls_new();
	struct sockaddr_any one = at("192.0.2.1", 1), other;
	const char *error = "";

	srt_calls_add(c, 1, &one.sa, NULL);
	cr_assert_not(srt_calls_take_failed(c, &other, &error));
	state = SRTS_BROKEN;
	cr_assert(srt_calls_take_failed(c, &other, &error));
	cr_assert(sockaddr_equal(&one, &other));
	cr_assert(strncmp(error, "passphrase or encryption", 24) == 0);
	cr_assert_not(srt_calls_take_failed(c, &other, &error));
	srt_calls_free(&c);
}

Test(srt_calls, that_sluice_rejects_are_reported_at_once)
{
	struct srt_calls *c = srt_calls_new();
	struct sockaddr_any one = at("192.0.2.1", 1), other;
	const char *error = "";

	srt_calls_add(c, 1, &one.sa, "wrong stream id");
	cr_assert(srt_calls_take_failed(c, &other, &error));
	cr_assert_str_eq(error, "wrong stream id");
	srt_calls_free(&c);
}

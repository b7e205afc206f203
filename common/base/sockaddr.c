/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/sockaddr.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

int sockaddr_parse(const char *host, uint16_t port, struct sockaddr_any *ret)
{
	struct sockaddr_any a = { 0 };

	if (inet_pton(AF_INET, host, &a.in.sin_addr) == 1) {
		a.in.sin_family = AF_INET;
		a.len = sizeof a.in;
	} else if (inet_pton(AF_INET6, host, &a.in6.sin6_addr) == 1) {
		a.in6.sin6_family = AF_INET6;
		a.len = sizeof a.in6;
	} else {
		return -EINVAL;
	}
	sockaddr_set_port(&a, port);
	*ret = a;
	return 0;
}

void sockaddr_format_host(const struct sockaddr_any *a, char *text)
{
	const void *bytes = a->sa.sa_family == AF_INET6
				    ? (const void *)&a->in6.sin6_addr
				    : (const void *)&a->in.sin_addr;

	if (inet_ntop(a->sa.sa_family, bytes, text, SOCKADDR_TEXT_MAX) == NULL)
		(void)snprintf(text, SOCKADDR_TEXT_MAX, "?");
}

void sockaddr_format(const struct sockaddr_any *a, char *text)
{
	char host[SOCKADDR_TEXT_MAX - 16];
	char full[SOCKADDR_TEXT_MAX];

	sockaddr_format_host(a, full);
	(void)snprintf(host, sizeof host, "%.60s", full);
	(void)snprintf(text, SOCKADDR_TEXT_MAX,
		       a->sa.sa_family == AF_INET6 ? "[%s]:%u" : "%s:%u", host,
		       (unsigned)sockaddr_port(a));
}

uint16_t sockaddr_port(const struct sockaddr_any *a)
{
	return ntohs(a->sa.sa_family == AF_INET6 ? a->in6.sin6_port
						 : a->in.sin_port);
}

void sockaddr_set_port(struct sockaddr_any *a, uint16_t port)
{
	if (a->sa.sa_family == AF_INET6)
		a->in6.sin6_port = htons(port);
	else
		a->in.sin_port = htons(port);
}

void sockaddr_move_port(struct sockaddr_any *a, unsigned by)
{
	sockaddr_set_port(a, (uint16_t)(sockaddr_port(a) + by));
}

bool sockaddr_is_multicast(const struct sockaddr_any *a)
{
	return a->sa.sa_family == AF_INET6
		       ? IN6_IS_ADDR_MULTICAST(&a->in6.sin6_addr)
		       : IN_MULTICAST(ntohl(a->in.sin_addr.s_addr));
}

bool sockaddr_is_link_local(const struct sockaddr_any *a)
{
	return a->sa.sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LINKLOCAL(&a->in6.sin6_addr);
}

bool sockaddr_is_any(const struct sockaddr_any *a)
{
	return a->sa.sa_family == AF_INET6
		       ? IN6_IS_ADDR_UNSPECIFIED(&a->in6.sin6_addr)
		       : a->in.sin_addr.s_addr == htonl(INADDR_ANY);
}

bool sockaddr_equal(const struct sockaddr_any *a, const struct sockaddr_any *b)
{
	return a->len == b->len && memcmp(&a->sa, &b->sa, a->len) == 0;
}

bool sockaddr_is_same_host(const struct sockaddr_any *a,
			   const struct sockaddr_any *b)
{
	if (a->sa.sa_family != b->sa.sa_family)
		return false;
	return a->sa.sa_family == AF_INET6
		       ? IN6_ARE_ADDR_EQUAL(&a->in6.sin6_addr,
					    &b->in6.sin6_addr)
		       : a->in.sin_addr.s_addr == b->in.sin_addr.s_addr;
}

int sockaddr_of_listener(int fd, struct sockaddr_any *ret)
{
	struct sockaddr_any any = { .len = sizeof any.in6 };
	int listens = 0;
	socklen_t len = sizeof listens;

	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) < 0 ||
	    getsockname(fd, &any.sa, &any.len) < 0)
		return -errno;
	if (!listens || (any.sa.sa_family != AF_INET &&
			 any.sa.sa_family != AF_INET6))
		return -EINVAL;
	*ret = any;
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An IPv4 or IPv6 address with a port. */
#pragma once

#include "common/base/util.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { SOCKADDR_TEXT_MAX = 80 };

struct sockaddr_any {
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	};
	socklen_t len;
};

/* host is an IP literal (IPv6 without brackets); names are not resolved.
 * 0 or -EINVAL. */
int sockaddr_parse(const char *host, uint16_t port,
		   struct sockaddr_any *ret) MUST_CHECK;

/* "239.1.1.1:1234" or "[ff0e::1]:1234" into text of SOCKADDR_TEXT_MAX. */
void sockaddr_format(const struct sockaddr_any *, char *text);

/* The address without brackets and port. */
void sockaddr_format_host(const struct sockaddr_any *, char *text);

/* The address on which a TCP socket listens; 0 or -errno. */
int sockaddr_of_listener(int fd, struct sockaddr_any *ret) MUST_CHECK;

uint16_t sockaddr_port(const struct sockaddr_any *);
void sockaddr_set_port(struct sockaddr_any *, uint16_t port);
/* Adds to the port; 0 follows 65535. */
void sockaddr_move_port(struct sockaddr_any *, unsigned by);
bool sockaddr_is_multicast(const struct sockaddr_any *);
/* fe80::/10, which means another host on each interface. */
bool sockaddr_is_link_local(const struct sockaddr_any *);
/* 0.0.0.0 or :: */
bool sockaddr_is_any(const struct sockaddr_any *);
bool sockaddr_equal(const struct sockaddr_any *, const struct sockaddr_any *);
/* Are both addresses equal, apart from their ports? */
bool sockaddr_is_same_host(const struct sockaddr_any *,
			   const struct sockaddr_any *);

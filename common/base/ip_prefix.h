/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * IPv4 and IPv6 addresses and networks in one form.
 *
 * An IPv4 address equals its IPv4-mapped IPv6 form (::ffff:10.0.0.1).
 */
#pragma once

#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>

enum { IP_BYTES = 16, IP_BITS = 128, IP_TEXT_MAX = 64 };

struct ip_address {
	uint8_t bytes[IP_BYTES]; /* an IPv4 address in its IPv4-mapped form */
};

struct ip_prefix {
	struct ip_address address; /* bits behind the prefix are 0 */
	/* length of the prefix in bytes[]: for IPv4 96 more than in text */
	unsigned bits;
};

/* Reads "10.0.0.1" or "2001:db8::1", without brackets and zone.  0 or
 * -EINVAL. */
int ip_parse(const char *text, struct ip_address *ret) MUST_CHECK;

/* Formats an IPv4-mapped address as an IPv4 address. */
void ip_format(const struct ip_address *, char text[IP_TEXT_MAX]);

bool ip_is_v4(const struct ip_address *);
bool ip_is_loopback(const struct ip_address *);

/* True if the address can be one of the public internet.  False for addresses
 * of this host, of private or local networks, of documentation, for multicast,
 * and for addresses that map to such (IANA special-purpose registries).  NAT64
 * counts as its IPv4 address. */
bool ip_is_public(const struct ip_address *);

/* The IP address in a socket address, without its port. */
struct ip_address ip_of(const struct sockaddr_any *);

/* The address by which clients are distinguished: one for a whole IPv6 /64,
 * because one client can use all addresses of its /64. */
struct ip_address ip_client(const struct ip_address *);

/* A hash for tables; a secret seed prevents chosen collisions. */
uint64_t ip_hash(const struct ip_address *, uint64_t seed);

/* Reads "10.0.0.0/8", or an address alone.  0 or -EINVAL. */
int ip_prefix_parse(const char *text, struct ip_prefix *ret) MUST_CHECK;

bool ip_prefix_has(const struct ip_prefix *, const struct ip_address *);

/* Clears all bits behind the first `bits` of 128. */
void ip_mask(struct ip_address *, unsigned bits);

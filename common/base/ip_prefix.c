/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/ip_prefix.h"

#include "common/base/hash.h"
#include "common/base/util.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { V4_OFFSET = 12, V4_BITS = 32, V6_CLIENT_BITS = 64 };

/* the first bytes of an IPv4-mapped address (RFC 4291 2.5.5.2) */
static const uint8_t mapped[V4_OFFSET] = { [10] = 0xff, [11] = 0xff };

int ip_parse(const char *text, struct ip_address *ret)
{
	struct ip_address a = { 0 };

	if (inet_pton(AF_INET, text, a.bytes + V4_OFFSET) == 1)
		memcpy(a.bytes, mapped, sizeof mapped);
	else if (inet_pton(AF_INET6, text, a.bytes) != 1)
		return -EINVAL;
	*ret = a;
	return 0;
}

bool ip_is_v4(const struct ip_address *a)
{
	return memcmp(a->bytes, mapped, sizeof mapped) == 0;
}

bool ip_is_loopback(const struct ip_address *a)
{
	static const struct ip_address v6 = { { [IP_BYTES - 1] = 1 } };

	if (ip_is_v4(a))
		return a->bytes[V4_OFFSET] == 127;
	return memcmp(a->bytes, v6.bytes, IP_BYTES) == 0;
}

static bool is_in(const struct ip_address *a, const char *prefix)
{
	struct ip_prefix p;

	return ip_prefix_parse(prefix, &p) == 0 && ip_prefix_has(&p, a);
}

bool ip_is_public(const struct ip_address *a)
{
	static const char *const v4[] = {
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8",
		"169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/3",
	};
	/* parts of 2000::/3, which is public otherwise */
	static const char *const v6[] = { "2001::/23", "2001:db8::/32",
					  "2002::/16", "3fff::/20" };
	struct ip_address inner;

	if (is_in(a, "64:ff9b::/96")) {
		inner = *a;
		memcpy(inner.bytes, mapped, sizeof mapped);
		return ip_is_public(&inner);
	}
	if (!ip_is_v4(a) && !is_in(a, "2000::/3"))
		return false;
	for (size_t i = 0; ip_is_v4(a) && i < ARRAY_LEN(v4); i++)
		if (is_in(a, v4[i]))
			return false;
	for (size_t i = 0; !ip_is_v4(a) && i < ARRAY_LEN(v6); i++)
		if (is_in(a, v6[i]))
			return false;
	return true;
}

struct ip_address ip_of(const struct sockaddr_any *s)
{
	struct ip_address a = { 0 };

	if (s->sa.sa_family == AF_INET6) {
		memcpy(a.bytes, &s->in6.sin6_addr, IP_BYTES);
	} else {
		memcpy(a.bytes, mapped, sizeof mapped);
		memcpy(a.bytes + V4_OFFSET, &s->in.sin_addr,
		       IP_BYTES - V4_OFFSET);
	}
	return a;
}

struct ip_address ip_client(const struct ip_address *a)
{
	struct ip_address client = *a;

	if (!ip_is_v4(a))
		ip_mask(&client, V6_CLIENT_BITS);
	return client;
}

uint64_t ip_hash(const struct ip_address *a, uint64_t seed)
{
	uint64_t hash = hash_add(seed, a->bytes, IP_BYTES);

	return hash ^ hash >> 32;
}

void ip_format(const struct ip_address *a, char text[IP_TEXT_MAX])
{
	if (ip_is_v4(a))
		(void)inet_ntop(AF_INET, a->bytes + V4_OFFSET, text,
				IP_TEXT_MAX);
	else
		(void)inet_ntop(AF_INET6, a->bytes, text, IP_TEXT_MAX);
}

void ip_mask(struct ip_address *a, unsigned bits)
{
	for (unsigned i = 0; i < IP_BYTES; i++) {
		unsigned left = bits > 8 * i ? bits - 8 * i : 0;

		if (left < 8)
			a->bytes[i] &= (uint8_t)(0xff00U >> left);
	}
}

int ip_prefix_parse(const char *text, struct ip_prefix *ret)
{
	const char *slash = strchr(text, '/');
	size_t len = slash != NULL ? (size_t)(slash - text) : strlen(text);
	struct ip_prefix p = { .bits = IP_BITS };
	char host[IP_TEXT_MAX];
	bool v4;

	if (len >= sizeof host)
		return -EINVAL;
	memcpy(host, text, len);
	host[len] = '\0';
	if (ip_parse(host, &p.address) < 0)
		return -EINVAL;
	v4 = strchr(host, ':') == NULL;
	if (slash != NULL) {
		size_t digits = strspn(slash + 1, "0123456789");

		if (digits == 0 || digits > 3 || slash[1 + digits] != '\0')
			return -EINVAL;
		p.bits = (unsigned)strtoul(slash + 1, NULL, 10);
		if (p.bits > (v4 ? V4_BITS : IP_BITS))
			return -EINVAL;
		if (v4)
			p.bits += IP_BITS - V4_BITS;
	}
	ip_mask(&p.address, p.bits);
	*ret = p;
	return 0;
}

bool ip_prefix_has(const struct ip_prefix *p, const struct ip_address *a)
{
	struct ip_address masked = *a;

	ip_mask(&masked, p->bits);
	return memcmp(masked.bytes, p->address.bytes, IP_BYTES) == 0;
}

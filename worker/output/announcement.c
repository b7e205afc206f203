/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/output/announcement.h"

#include "worker/sdp/sap_packet.h"
#include "worker/sdp/sdp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MP2T = 33 /* RFC 3551 */ };

static const char type[] = SAP_TYPE_SDP;

static int family_digit(const struct sockaddr_any *a)
{
	return a->sa.sa_family == AF_INET6 ? 6 : 4;
}

static int put_origin(const struct announcement *a, char *to, size_t size)
{
	char host[SOCKADDR_TEXT_MAX];

	sockaddr_format_host(&a->origin, host);
	return snprintf(to, size, "o=- %" PRIu64 " %" PRIu64 " IN IP%d %s\r\n",
			a->session, a->version, family_digit(&a->origin),
			host);
}

/* A group of IPv4 comes with the reach of its packets. */
static void put_reach(const struct announcement *a, char ret[8])
{
	ret[0] = '\0';
	if (sockaddr_is_multicast(&a->remote) && family_digit(&a->remote) == 4)
		(void)snprintf(ret, 8, "/%u", MIN(a->ttl, 255u));
}

static int put_rest(const struct announcement *a, char *to, size_t size)
{
	char name[SDP_NAME_MAX + 1], host[SOCKADDR_TEXT_MAX], reach[8];
	unsigned port = sockaddr_port(&a->remote);
	int n;

	sdp_name(a->name, name);
	sockaddr_format_host(&a->remote, host);
	put_reach(a, reach);
	n = snprintf(to, size,
		     "s=%s\r\nc=IN IP%d %s%s\r\nt=0 0\r\na=tool:sluice\r\n"
		     "a=type:broadcast\r\n", name[0] != '\0' ? name : "-",
		     family_digit(&a->remote), host, reach);
	if (n < 0 || (size_t)n >= size)
		return n;
	to += n;
	size -= (size_t)n;
	return n + (a->rtp ? snprintf(to, size, "m=video %u RTP/AVP %d\r\n"
				      "a=rtpmap:%d MP2T/90000\r\n", port,
				      MP2T, MP2T)
			   : snprintf(to, size, "m=video %u udp MP2T\r\n",
				      port));
}

/* Another content is another number, and none is 0. */
static uint16_t hash_of(const struct announcement *a)
{
	uint64_t mix = (a->session ^ a->version * 31) *
		       UINT64_C(0x9e3779b97f4a7c15);
	uint16_t hash = (uint16_t)(mix >> 48);

	return hash != 0 ? hash : 1;
}

static size_t put_head(const struct announcement *a, bool gone, uint8_t *to)
{
	bool v6 = family_digit(&a->origin) == 6;
	size_t len = v6 ? 16 : 4;
	uint16_t hash = hash_of(a);

	to[0] = (uint8_t)(SAP_VERSION_1 | (v6 ? SAP_IS_IPV6 : 0) |
			  (gone ? SAP_IS_DELETION : 0));
	to[1] = 0; /* no authentication */
	to[2] = (uint8_t)(hash >> 8);
	to[3] = (uint8_t)hash;
	memcpy(to + SAP_HEAD, v6 ? (const void *)&a->origin.in6.sin6_addr
			  : (const void *)&a->origin.in.sin_addr, len);
	memcpy(to + SAP_HEAD + len, type, sizeof type);
	return SAP_HEAD + len + sizeof type;
}

/* RFC 2974 4: of one that is over, the origin is told. */
ssize_t announcement_make(const struct announcement *a, bool gone,
			  uint8_t *ret)
{
	char text[ANNOUNCEMENT_MAX];
	size_t len = put_head(a, gone, ret), used = 0;
	int n = 0;

	if (!gone) {
		(void)snprintf(text, sizeof text, "v=0\r\n");
		used = strlen(text);
	}
	n = put_origin(a, text + used, sizeof text - used);
	if (n < 0 || (size_t)n >= sizeof text - used)
		return -EMSGSIZE;
	used += (size_t)n;
	if (!gone) {
		n = put_rest(a, text + used, sizeof text - used);
		if (n < 0 || (size_t)n >= sizeof text - used)
			return -EMSGSIZE;
		used += (size_t)n;
	}
	if (len + used > ANNOUNCEMENT_MAX)
		return -EMSGSIZE;
	memcpy(ret + len, text, used);
	return (ssize_t)(len + used);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/querier/query.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>

enum {
	IP_HEADER_MIN = 20,
	IP_PROTOCOL_AT = 9,
	IP_TO_AT = 16,

	IGMP_QUERY = 0x11,
	IGMP_GROUP_AT = 4,
	IGMP_LEN = 8,     /* query of IGMP version 1 and 2 */
	IGMP_V3_LEN = 12,
	IGMP_INTERVAL_AT = 9,

	MLD_QUERY = 130,
	MLD_GROUP_AT = 8,
	MLD_GROUP_LEN = 16,
	MLD_LEN = 24,     /* query of MLD version 1 */
	MLD_V2_LEN = 28,
	MLD_INTERVAL_AT = 25,
};

/* True if the checksum is right: the sum including it is all ones (RFC
 * 1071). */
static bool sum_is_right(const uint8_t *data, size_t len)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < len; i += 2)
		sum += (uint32_t)(data[i] << 8 | data[i + 1]);
	if (len % 2 != 0)
		sum += (uint32_t)data[len - 1] << 8;
	while (sum > UINT16_MAX)
		sum = (sum >> 16) + (sum & UINT16_MAX);
	return sum == UINT16_MAX;
}

static bool is_zero(const uint8_t *data, size_t len)
{
	while (len > 0 && data[len - 1] == 0)
		len--;
	return len == 0;
}

/* Reads a QQIC in seconds: a whole number, or a small float (RFC 3376,
 * 4.1.7). */
static uint32_t read_interval(uint8_t code)
{
	if (code < 128)
		return code;
	return (uint32_t)((code & 0xf) | 0x10) << ((code >> 4 & 7) + 3);
}

int igmp_query_parse(const uint8_t *d, size_t len, struct group_query *ret)
{
	static const uint8_t all_hosts[] = { 224, 0, 0, 1 };
	const uint8_t *m;
	size_t header, total;

	if (len < IP_HEADER_MIN || d[0] >> 4 != 4)
		return -EBADMSG;
	header = (size_t)(d[0] & 0xf) * 4;
	total = (size_t)(d[2] << 8 | d[3]);
	if (header < IP_HEADER_MIN || total < header || total > len ||
	    d[IP_PROTOCOL_AT] != IPPROTO_IGMP)
		return -EBADMSG;
	/* routers do not forward this group: the querier is on this network */
	if (memcmp(d + IP_TO_AT, all_hosts, sizeof all_hosts) != 0)
		return -EBADMSG;
	m = d + header;
	len = total - header;
	if (len < IGMP_LEN || m[0] != IGMP_QUERY ||
	    !is_zero(m + IGMP_GROUP_AT, 4) || !sum_is_right(m, len))
		return -EBADMSG;
	if (len >= IGMP_V3_LEN)
		*ret = (struct group_query){
			3, read_interval(m[IGMP_INTERVAL_AT])
		};
	else if (len == IGMP_LEN)
		*ret = (struct group_query){ m[1] == 0 ? 1 : 2, 0 };
	else
		return -EBADMSG; /* a length of no version: RFC 3376, 7.1 */
	return 0;
}

int mld_query_parse(const uint8_t *m, size_t len, struct group_query *ret)
{
	if (len < MLD_LEN || m[0] != MLD_QUERY || m[1] != 0 ||
	    !is_zero(m + MLD_GROUP_AT, MLD_GROUP_LEN))
		return -EBADMSG;
	if (len >= MLD_V2_LEN)
		*ret = (struct group_query){
			2, read_interval(m[MLD_INTERVAL_AT])
		};
	else if (len == MLD_LEN)
		*ret = (struct group_query){ 1, 0 };
	else
		return -EBADMSG;
	return 0;
}

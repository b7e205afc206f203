/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/sap_packet.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { VERSION_SHIFT = 5, TYPE_MAX = 64 };

static int judge_flags(uint8_t flags, struct errmsg *error)
{
	if (flags >> VERSION_SHIFT != SAP_VERSION_1 >> VERSION_SHIFT)
		return errmsg_fail(error, -EINVAL, "version: %d is not known",
				   flags >> VERSION_SHIFT);
	if (flags & SAP_IS_ENCRYPTED)
		return errmsg_fail(error, -ENOTSUP, "is encrypted");
	if (flags & SAP_IS_COMPRESSED)
		return errmsg_fail(error, -ENOTSUP, "is compressed");
	return 0;
}

static struct sockaddr_any read_origin(const uint8_t *bytes, bool v6)
{
	struct sockaddr_any a = { 0 };

	if (v6) {
		a.in6.sin6_family = AF_INET6;
		memcpy(&a.in6.sin6_addr, bytes, sizeof a.in6.sin6_addr);
		a.len = sizeof a.in6;
	} else {
		a.in.sin_family = AF_INET;
		memcpy(&a.in.sin_addr, bytes, sizeof a.in.sin_addr);
		a.len = sizeof a.in;
	}
	return a;
}

/* A payload without a type is SDP, which begins as no type does (RFC 2974 6).
 * A deletion may consist of the line o= alone. */
static bool has_no_type(const char *text, size_t len)
{
	return len >= 3 && (memcmp(text, "v=0", 3) == 0 ||
			    memcmp(text, "o=", 2) == 0);
}

static int take_type(struct sap_packet *p, struct errmsg *error)
{
	const char *end;

	if (has_no_type(p->text, p->len))
		return 0;
	end = memchr(p->text, '\0', MIN(p->len, (size_t)TYPE_MAX));
	if (end == NULL)
		return errmsg_fail(error, -EINVAL, "payload type: has no end");
	if (strncasecmp(p->text, SAP_TYPE_SDP, strlen(SAP_TYPE_SDP)) != 0)
		return errmsg_fail(error, -ENOTSUP, "payload type: is not "
				   SAP_TYPE_SDP);
	p->len -= (size_t)(end + 1 - p->text);
	p->text = end + 1;
	return 0;
}

int sap_packet_decode(const uint8_t *data, size_t len, struct sap_packet *ret,
		      struct errmsg *error)
{
	struct sap_packet p = { 0 };
	size_t head = SAP_HEAD;
	bool v6;
	int r;

	if (len < SAP_HEAD)
		return errmsg_fail(error, -EINVAL, "ends inside its header");
	r = judge_flags(data[0], error);
	if (r < 0)
		return r;
	v6 = (data[0] & SAP_IS_IPV6) != 0;
	/* the signature is skipped: there is no key to verify it */
	head += (v6 ? 16u : 4u) + 4u * data[1];
	if (len < head)
		return errmsg_fail(error, -EINVAL, "ends inside its header");
	p.deletion = (data[0] & SAP_IS_DELETION) != 0;
	p.hash = (uint16_t)(data[2] << 8 | data[3]);
	p.origin = read_origin(data + SAP_HEAD, v6);
	p.text = (const char *)data + head;
	p.len = len - head;
	r = take_type(&p, error);
	if (r == 0)
		*ret = p;
	return r;
}

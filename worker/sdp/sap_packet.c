/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/sap_packet.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { VERSION_SHIFT = 5, TYPE_MAX = 64 };

static int take_type(struct sap_packet *p, struct errmsg *error)
{
	const char *end;

	/* The payload type is optional.  A payload that begins with "v=0" is
	 * SDP without a type (RFC 2974 6); a deletion may have an o= line
	 * only. */
	if (p->len >= 3 && (memcmp(p->text, "v=0", 3) == 0 ||
			    memcmp(p->text, "o=", 2) == 0))
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
	const uint8_t *origin = data + SAP_HEAD;
	struct sap_packet p = { 0 };
	size_t head = SAP_HEAD;
	int r;

	if (len < SAP_HEAD)
		return errmsg_fail(error, -EINVAL, "ends inside its header");
	if (data[0] >> VERSION_SHIFT != SAP_VERSION_1 >> VERSION_SHIFT)
		return errmsg_fail(error, -EINVAL, "version: %d is not known",
				   data[0] >> VERSION_SHIFT);
	if (data[0] & SAP_IS_ENCRYPTED)
		return errmsg_fail(error, -ENOTSUP, "is encrypted");
	if (data[0] & SAP_IS_COMPRESSED)
		return errmsg_fail(error, -ENOTSUP, "is compressed");
	/* the signature is skipped: there is no key to verify it */
	head += (data[0] & SAP_IS_IPV6 ? 16u : 4u) + 4u * data[1];
	if (len < head)
		return errmsg_fail(error, -EINVAL, "ends inside its header");
	p.deletion = (data[0] & SAP_IS_DELETION) != 0;
	p.hash = (uint16_t)(data[2] << 8 | data[3]);
	if (data[0] & SAP_IS_IPV6) {
		p.origin.in6.sin6_family = AF_INET6;
		memcpy(&p.origin.in6.sin6_addr, origin, 16);
		p.origin.len = sizeof p.origin.in6;
	} else {
		p.origin.in.sin_family = AF_INET;
		memcpy(&p.origin.in.sin_addr, origin, 4);
		p.origin.len = sizeof p.origin.in;
	}
	p.text = (const char *)data + head;
	p.len = len - head;
	r = take_type(&p, error);
	if (r == 0)
		*ret = p;
	return r;
}

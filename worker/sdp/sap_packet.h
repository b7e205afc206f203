/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A packet of the session announcement protocol (SAP, RFC 2974).
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SAP_HEAD = 4, /* bytes of the header without the address of the
		       * origin */
	SAP_VERSION_1 = 0x20,
	SAP_IS_IPV6 = 0x10,
	SAP_IS_DELETION = 0x04,
	SAP_IS_ENCRYPTED = 0x02,
	SAP_IS_COMPRESSED = 0x01,
};

/* Payload type, in front of the payload. */
#define SAP_TYPE_SDP "application/sdp"

struct sap_packet {
	bool deletion;
	uint16_t hash;              /* identifies this version of the session */
	/* address of the origin as the packet claims; without port */
	struct sockaddr_any origin;
	const char *text;           /* the SDP, inside the packet */
	size_t len;
};

/* Decodes a packet.  0; -EINVAL with error: it is malformed; -ENOTSUP with
 * error: its payload is encrypted, compressed or not SDP.  *ret points into
 * data. */
int sap_packet_decode(const uint8_t *data, size_t len,
		      struct sap_packet *ret, struct errmsg *error) MUST_CHECK;

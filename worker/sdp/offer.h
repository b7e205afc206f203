/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the MPEG transport stream of a session description and writes it as the
 * address of an input.
 *
 *   RTP or plain UDP        by protocol, format and a=rtpmap
 *   the sender              of a=source-filter (RFC 4570)
 *   a second path           of a=group:DUP, or of two senders to one group
 *                           (RFC 7104; SMPTE 2022-7)
 *   error correction        as in SMPTE 2022-1: on the port of the media plus
 *                           2 and 4
 *
 * Pure.
 */
#pragma once

#include "proto/spec/io_spec.h"
#include "worker/sdp/sdp.h"

struct sdp_path {
	struct sockaddr_any local;
	bool has_source;
	struct sockaddr_any source;
};

struct sdp_offer {
	bool rtp;
	bool fec;
	unsigned n_paths;
	struct sdp_path paths[2];
	struct errmsg note; /* names an unused part of the offer; "": none */
};

/* Reads the transport stream of the number-th m= line; number 0: of the first
 * m= line that has a transport stream.  0 or, with error, -EINVAL: no such
 * line, or it has no c=; -ENOTSUP: no transport stream, or it is not sent. */
int sdp_offer_read(const struct session_description *, unsigned number,
		   struct sdp_offer *ret, struct errmsg *error) MUST_CHECK;

/*
 * Checks where the offer leads, because its writer need not be the operator of
 * this machine.  Rejects ports below 1024 and groups of the protocols of a
 * link (224.0.0.0/24).  announced: a stranger sent the offer by SAP, so each
 * address that is no multicast group is rejected, too.  0, or -EACCES with
 * error.
 */
int sdp_offer_judge(const struct sdp_offer *, bool announced,
		    struct errmsg *error) MUST_CHECK;

/* Writes the address of the input: "rtp://eth0@239.1.1.1:5004#src=192.0.2.7".
 * iface "" is the kernel's choice.  ret is always large enough. */
void sdp_offer_address(const struct sdp_offer *, const char *iface,
		       char ret[ADDRESS_TEXT_MAX + 1]);

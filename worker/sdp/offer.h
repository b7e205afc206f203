/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the MPEG transport stream in a session description and writes it as the
 * address of an input.
 *
 *   RTP or plain UDP        from protocol, format and a=rtpmap
 *   the sender              from a=source-filter (RFC 4570)
 *   a second path           from a=group:DUP, or from two senders to one group
 *                           (RFC 7104; SMPTE 2022-7)
 *   error correction        SMPTE 2022-1, on the ports of the media plus 2
 *                           and 4
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
	struct errmsg note; /* part of the offer that is not used; "": none */
};

/* Reads the transport stream of the number-th m= line, from 1; number 0: of the
 * first m= line that has a transport stream.  0 or, with error, -EINVAL: there
 * is no such line, or it has no c=; -ENOTSUP: it has no transport stream, or
 * the stream is not sent (port 0 or a=inactive). */
int sdp_offer_read(const struct session_description *, unsigned number,
		   struct sdp_offer *ret, struct errmsg *error) MUST_CHECK;

/*
 * Checks the destinations of the offer, because its author may not be the
 * operator of this machine.  Rejects ports below 1024, and the groups that are
 * reserved for link protocols (224.0.0.0/24; IPv6: interface-local and
 * link-local scope).  announced: the offer was received by SAP from an unknown
 * sender, so each address that is not a multicast group is rejected, too.  0,
 * or -EACCES with error.
 */
int sdp_offer_judge(const struct sdp_offer *, bool announced,
		    struct errmsg *error) MUST_CHECK;

/* Writes the address of the input, for example
 * "rtp://eth0@239.1.1.1:5004#src=192.0.2.7".  iface "": the kernel chooses the
 * interface. */
void sdp_offer_address(const struct sdp_offer *, const char *iface,
		       char ret[ADDRESS_TEXT_MAX + 1]);

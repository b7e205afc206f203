/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes the messages that announce SAT>IP servers: SSDP of UPnP Device
 * Architecture 1.1, chapter 1 and annex A (IPv6), as used in the SAT>IP
 * specification 1.2.2, chapter 3.3.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "worker/scan/server_url.h"

enum {
	SSDP_PORT = 1900,
	SSDP_GROUPS = 3,
	SSDP_WAIT_S = 2, /* time for a server to reply to a search */
	SSDP_UUID_MAX = 64,
	/* lifetime of an announcement that names none; SAT>IP requires 1,800
	 * s */
	SSDP_LIFE_S = 1800,
	SSDP_LIFE_MIN_S = 60,
	SSDP_LIFE_MAX_S = 86400,
};

#define SSDP_SATIP_SERVER "urn:ses-com:device:SatIPServer:"

/* The multicast groups: of IPv4, of the link scope of IPv6, and of its site
 * scope. */
extern const struct ssdp_group {
	const char *address;
	const char *search; /* the datagram that searches for SAT>IP servers */
} ssdp_groups[SSDP_GROUPS];

enum ssdp_kind {
	SSDP_OTHER,  /* not from a SAT>IP server; to be ignored */
	SSDP_ALIVE,  /* a reply to a search, or a notification */
	SSDP_BYEBYE, /* the server leaves the network */
};

struct ssdp_message {
	enum ssdp_kind kind;
	char uuid[SSDP_UUID_MAX];  /* without the prefix "uuid:" */
	/* the next two are valid for SSDP_ALIVE only */
	struct server_url location; /* URL of the description */
	unsigned life_s;
};

/* Decodes a datagram that this host (server_url_host()) sent.  0, or -EBADMSG
 * with error: it names a SAT>IP server, but is invalid. */
int ssdp_decode(const void *data, size_t len, const char *host,
		struct ssdp_message *ret, struct errmsg *error) MUST_CHECK;

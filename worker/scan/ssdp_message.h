/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The messages by which SAT>IP servers are found: SSDP of UPnP Device
 * Architecture 1.1, chapter 1 and annex A (IPv6), as the SAT>IP specification
 * 1.2.2, chapter 3.3 uses it.
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
	SSDP_WAIT_S = 2, /* a server replies to a search within this time */
	SSDP_UUID_MAX = 64,
	/* life of an announcement; the specification demands 1,800 */
	SSDP_LIFE_S = 1800,
	SSDP_LIFE_MIN_S = 60,
	SSDP_LIFE_MAX_S = 86400,
};

#define SSDP_SATIP_SERVER "urn:ses-com:device:SatIPServer:"

/* The groups of IPv4, and of the link and the site of IPv6. */
extern const struct ssdp_group {
	const char *address;
	const char *search; /* for SAT>IP servers */
} ssdp_groups[SSDP_GROUPS];

enum ssdp_kind {
	SSDP_OTHER,  /* of another device or client: to be ignored */
	SSDP_ALIVE,  /* a reply to a search, or a notification */
	SSDP_BYEBYE, /* the server leaves */
};

struct ssdp_message {
	enum ssdp_kind kind;
	char uuid[SSDP_UUID_MAX];  /* without "uuid:" */
	/* only SSDP_ALIVE has these */
	struct server_url location; /* of the description */
	unsigned life_s;
};

/* Decodes a datagram from this host (server_url_host()).  0, or -EBADMSG with
 * error: it claims to be of a server, and is invalid. */
int ssdp_decode(const void *data, size_t len, const char *host,
		struct ssdp_message *ret, struct errmsg *error) MUST_CHECK;

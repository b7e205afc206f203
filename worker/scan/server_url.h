/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads URLs that a device on the network announces.  Only URLs of the device's
 * own address are accepted, so that a device cannot direct requests to another
 * host.
 *
 * Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "worker/adapter/satip/head.h"

enum {
	SERVER_HOST_MAX = 48,
	SERVER_PATH_MAX = 256,
	SERVER_URL_MAX = SERVER_HOST_MAX + SERVER_PATH_MAX + 16,
};

struct server_url {
	uint16_t port;
	char path[SERVER_PATH_MAX]; /* path and query */
};

/* Writes the address as in a URL: an IPv6 address is in brackets. */
void server_url_host(const struct sockaddr_any *, char host[SERVER_HOST_MAX]);

/* Reads http://HOST[:PORT][/PATH].  HOST must be host, the device's address.
 * PORT must be 80, or 1024 and above, because lower ports belong to other
 * services.  0, or -EINVAL with error. */
int server_url_parse(struct slice text, const char *host,
		     struct server_url *ret, struct errmsg *error) MUST_CHECK;

/* Writes the URL into text, which has SERVER_URL_MAX bytes. */
void server_url_format(const struct server_url *, const char *host,
		       char *text);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The URLs that a device on the network announces: only those of its own
 * address are used, so that it leads to no other host.
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
	char path[SERVER_PATH_MAX]; /* with its query */
};

/* The address as the host of a URL: that of IPv6 is in brackets. */
void server_url_host(const struct sockaddr_any *, char host[SERVER_HOST_MAX]);

/* Reads http://HOST[:PORT][/PATH].  host: that of the device.  The port is 80,
 * or 1024 and above: a lower one belongs to another service.  0, or -EINVAL
 * with error. */
int server_url_parse(struct slice text, const char *host,
		     struct server_url *ret, struct errmsg *error) MUST_CHECK;

/* The URL, into text of SERVER_URL_MAX. */
void server_url_format(const struct server_url *, const char *host,
		       char *text);

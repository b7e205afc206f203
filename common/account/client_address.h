/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the address of the client that sent a request, also behind a proxy.
 *
 * With the setting allow_real_ip the header X-Real-IP replaces the address of
 * the connection if the peer is a proxy in real_ip_trusted.  Without that list
 * client_address() accepts the header of every peer, so an attacker can evade
 * the lockout of addresses; the check of the configuration warns about it.
 * viewer_address() then accepts no header.  Pure.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

/* Finds the address of the client.  peer: address of the connection, which
 * gives zero bytes if it is malformed; real_ip: value of the header, NULL:
 * absent; settings: the section of the configuration, NULL: absent.  A
 * malformed header does not count. */
void client_address(const json_t *settings, const char *peer,
		    const char *real_ip, struct ip_address *ret);

/* May the header X-Real-IP of a trusted proxy replace the address of a viewer?
 * True if allow_real_ip or auth.x_real_ip is true.  A section that is NULL is
 * absent. */
bool viewer_header_counts(const json_t *settings, const json_t *auth);

/* As client_address() for a viewer: viewer_header_counts() must be true, and
 * without the list real_ip_trusted no header counts.  document: the whole
 * configuration. */
void viewer_address(const json_t *document, const char *peer,
		    const char *real_ip, struct ip_address *ret);

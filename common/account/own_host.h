/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that the header Host of a request names this machine.
 *
 * This protects requests without credentials from DNS rebinding: the owner of
 * another site can let the name of that site resolve to this machine, and the
 * browser then sends requests of pages of that site here.  The Host header of
 * these requests has the name of that site.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct own_host {
	/* section of the configuration with control_hosts; NULL: absent */
	const json_t *settings;
	const char *machine;     /* name of the machine; "": unknown */
	/* address to which the client connected; zero: unknown */
	struct ip_address local;
};

/*
 * header is the header Host.  True for localhost, loopback addresses, the
 * address of the connection, the name of the machine and the names in
 * control_hosts, with any port.  True also without the header (NULL), which
 * every browser sends.  Pure.
 */
bool own_host_is(const char *header, const struct own_host *);

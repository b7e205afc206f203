/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the client use a name of this machine?
 *
 * Without credentials, the name is all that separates a user of this machine
 * from a page of another site: the owner of a name may let it lead to this
 * machine, and the browser then takes the two for one site.  Such a page cannot
 * choose a name that is not its own.
 */
#pragma once

#include "common/base/ip_prefix.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>

struct own_host {
	const json_t *settings;  /* with control_hosts; or NULL */
	const char *machine;     /* name of the machine; "": unknown */
	struct ip_address local; /* that the client reached; zero: unknown */
};

/*
 * header is the header Host.  True for localhost, loopback addresses, the
 * address of the connection, the name of the machine and the names in
 * control_hosts, with any port.  True also without the header (NULL), which
 * every browser sends.  Pure.
 */
bool own_host_is(const char *header, const struct own_host *);

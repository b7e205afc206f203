/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether librist can use an address.
 *
 * librist 0.2.7 binds with SO_REUSEADDR, so it would take the datagrams of a
 * program that already uses the port.  It gives no reason when it fails.  If
 * only one port of a pair is free, it ends the process.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>

/* Tests with a socket of its own: binds it to the address if listens is true
 * and the address is no multicast group, and with pair another one to the next
 * port.  0, or -errno with error. */
int rist_check_address(const struct sockaddr_any *, bool listens, bool pair,
		       struct errmsg *error) MUST_CHECK;

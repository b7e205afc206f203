/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether librist can use an address.
 *
 * librist 0.2.7 binds with SO_REUSEADDR: it takes the datagrams of a program
 * that has the port already, and gives no reason when it fails. If only one
 * port of a pair is free, it ends the process.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>

/* Opens a socket of its own for the test; with listens it is bound, for a pair
 * also to the next port. 0, or -errno with error. */
int rist_check_address(const struct sockaddr_any *, bool listens, bool pair,
		       struct errmsg *error) MUST_CHECK;

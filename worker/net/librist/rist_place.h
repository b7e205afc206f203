/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a place for librist can be had.
 *
 * librist 0.2.7 binds with SO_REUSEADDR: it takes the datagrams of whoever has
 * the port already, and does not say why it fails.  Of a pair of which only one
 * port can be had it ends the process.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <stdbool.h>

/* Tries a socket for it, of its own; one that listens is bound there, and of a
 * pair to the next port, too.  0, or -errno with why. */
int rist_check_address(const struct sockaddr_any *, bool listens, bool pair,
		   struct errmsg *error) MUST_CHECK;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The addresses that a source may lead to by playlists and redirects: its own
 * and public ones.
 *
 * It judges the resolved address, because a name may resolve to another address
 * each time.  A source at a public address never leads to another kind of
 * address, not even by its own name.
 */
#pragma once

#include "common/base/ip_prefix.h"

#include <stdbool.h>
#include <stddef.h>

enum { REACH_HOME_MAX = 16 };

/* Embedded; zeroed memory is ready. */
struct reach {
	struct ip_address home[REACH_HOME_MAX]; /* addresses of the source */
	size_t n;
	bool is_public;
};

/* May the source be followed to this address?  at_home: the request is one to
 * the configured server, not to a server to which that leads. */
bool reach_allows(struct reach *, const struct ip_address *, bool at_home);

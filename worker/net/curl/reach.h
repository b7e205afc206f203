/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides to which addresses playlists and redirects of a source may lead: to
 * the addresses of the source itself, and to public ones.
 *
 * The check is for the resolved address, because a name may resolve to another
 * address each time.  A source at a public address may lead only to public
 * addresses, even if its own name resolves to another kind later.
 */
#pragma once

#include "common/base/ip_prefix.h"

#include <stdbool.h>
#include <stddef.h>

enum { REACH_HOME_MAX = 16 };

/* Embedded; zeroed memory is ready. */
struct reach {
	struct ip_address home[REACH_HOME_MAX]; /* addresses of the source */
	size_t n;       /* entries of home */
	bool is_public; /* the first address of the source was public */
};

/* True if a request may connect to this address.  at_home: the request is for
 * the configured server, whose address is added to home if it is public or not,
 * as the first one was. */
bool reach_allows(struct reach *, const struct ip_address *, bool at_home);

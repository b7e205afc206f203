/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits the playlists that are made in a second: of a client, so that one of
 * them does not take the share of the others, and of all clients.
 *
 * Embedded; zeroed memory is a limit without a playlist.  ip_client() defines
 * which addresses are equal.  Pure.
 */
#pragma once

#include "common/base/ip_prefix.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	/* A playlist of 500 streams costs the master a millisecond. */
	PLAYLISTS_MAX = 50,
	PLAYLISTS_PER_CLIENT_MAX = 10,
};

struct playlist_limit {
	uint64_t second; /* monotonic */
	unsigned n;      /* made in it */
	unsigned n_clients;
	struct {
		struct ip_address address;
		unsigned n;
	} clients[PLAYLISTS_MAX]; /* each has made one */
};

/* True if a playlist may be made, which is counted then. */
bool playlist_limit_pass(struct playlist_limit *, const struct ip_address *,
			 uint64_t now_ms);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits the playlists that are made in a second, for each client and for all
 * clients together, so that no client takes the share of the others.  Each kind
 * of playlist has limits of its own.
 *
 * Embedded; zeroed memory is a limit without a playlist.  ip_client() defines
 * which addresses are equal.  Pure.
 */
#pragma once

#include "common/base/ip_prefix.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	/* Limits in a second.  A playlist of 500 streams costs the master a
	 * millisecond. */
	PLAYLISTS_MAX = 50,
	PLAYLISTS_PER_CLIENT_MAX = 10,
	/* The master playlist of a group costs less.  Each player needs it to
	 * begin, and many players may share an address. */
	MASTER_PLAYLISTS_MAX = 400,
	MASTER_PLAYLISTS_PER_CLIENT_MAX = 200,
	/* The list of channels of a guide costs as much as a playlist. */
	GUIDES_MAX = 50,
	GUIDES_PER_CLIENT_MAX = 10,
};

enum playlist_kind {
	PLAYLIST_STREAMS, /* a playlist of all streams */
	PLAYLIST_MASTER,  /* the master playlist of a group */
	PLAYLIST_GUIDE,   /* the channels of /epg.xml */
	PLAYLIST_KINDS,
};

struct playlist_limit {
	/* monotonic time, in seconds, in which the playlists below were made */
	uint64_t second;
	struct playlist_count {
		unsigned n; /* playlists made in this second */
		unsigned n_clients;
		struct {
			struct ip_address address;
			unsigned n;
		/* clients that got a playlist in this second */
		} clients[MASTER_PLAYLISTS_MAX];
	} kinds[PLAYLIST_KINDS];
};

/* True if a playlist may be made, which is counted then. */
bool playlist_limit_pass(struct playlist_limit *, enum playlist_kind,
			 const struct ip_address *, uint64_t now_ms);

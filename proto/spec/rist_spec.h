/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The content of a rist:// address, of an input or an output. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RIST_PEERS_MAX = 4,
	RIST_HOST_MAX = 127,
	RIST_SECRET_MAX = 127, /* as in librist */
	RIST_CNAME_MAX = 127,
	RIST_BUFFER_DEFAULT_MS = 1000,
};

struct rist_peer_spec {
	bool listens; /* waits for a call at this address; false: calls it */
	char host[RIST_HOST_MAX + 1]; /* "" for a listener on all addresses */
	uint16_t port;
};

enum { RIST_MAIN, RIST_SIMPLE }; /* the profiles of RIST */

struct rist_spec {
	size_t n_peers;
	struct rist_peer_spec peers[RIST_PEERS_MAX];
	unsigned profile;
	unsigned buffer_ms;
	unsigned key_bits;   /* 128 or 256 */
	char secret[RIST_SECRET_MAX + 1]; /* "" = not encrypted */
	char cname[RIST_CNAME_MAX + 1];   /* "": the default of librist */
};

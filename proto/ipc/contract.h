/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a worker inherits from the master, in one place.
 *
 *	argv     sluice-worker ROLE OBJECT
 *	fd 0     /dev/null
 *	fd 1, 2  the master's stderr, for what cannot be said otherwise
 *	fd 3     its end of the SOCK_SEQPACKET channel
 *	FDSTORE  in the environment: it is to outlive its master
 *
 * Everything else comes in messages.  A worker whose channel closes ends.
 */
#pragma once

/* In the environment of a worker that logs at level debug. */
#define WORKER_DEBUG_VARIABLE "SLUICE_DEBUG"

enum {
	WORKER_CHANNEL_FD = 3,

	MSG_SIZE_MAX = 65536,
	MSG_FDS_MAX = 4,

	/* What the master keeps for a stream's workers, one after the other;
	 * what it holds is theirs alone. */
	STREAM_MEMORY_SIZE = 128 * 1024,

	/* Bad messages from a worker before it is killed. */
	CHANNEL_STRIKES = 3,
	/* Messages and bytes in a second that count as a flood. */
	CHANNEL_FLOOD = 2000,
	CHANNEL_FLOOD_BYTES = 8 * 1024 * 1024,
};

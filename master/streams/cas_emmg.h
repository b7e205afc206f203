/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives the worker of a conditional access system the sockets of its
 * emmg_port: the sandbox of the worker binds no port.
 *
 * A port that cannot be opened, for instance because another process uses it,
 * is tried again after 1, 2, 4 ... 30 s.  Until then the worker has the error,
 * and the status of its streams shows it.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct service_proc;

enum { CAS_EMMG_RETRY_MIN_MS = 1000, CAS_EMMG_RETRY_MAX_MS = 30000 };

/* The state of the sockets of one worker.  Embedded; zeroed memory: no try
 * yet. */
struct cas_emmg {
	bool done;        /* the worker has the sockets, or needs none */
	unsigned retry_ms; /* pause before the next try; 0: no failure yet */
	uint64_t next_ms; /* time of the next try */
};

/* Opens the sockets and sends them to the worker; if this fails, sends the
 * error.  Does nothing if the worker has the sockets or needs none, or during
 * the pause after a failure.  Call it once a second. */
void cas_emmg_turn(struct cas_emmg *, const json_t *entry,
		   struct service_proc *, uint64_t now_ms);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether a stream on demand runs: while it has viewers or readers, and
 * for a while after the last of them.
 *
 *	always ──────── http_keep_active ────────► waiting
 *	                                           │     ▲
 *	                            first viewer,  │     │ the time is over
 *	                            or reader      ▼     │
 *	                            active ──► lingering ┘
 *	                               ▲  the last one left │
 *	                               └────────────────────┘
 *
 * Pure: time is a number, in milliseconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum demand_state {
	DEMAND_ALWAYS, /* the stream is not on demand */
	DEMAND_WAITING, /* for a viewer: it does not run */
	DEMAND_ACTIVE,
	DEMAND_LINGERING, /* until end_ms */
};

enum {
	/* Viewers whose deliver worker has ended return by then, and those of a
	 * running stream that was not on demand are counted. */
	DEMAND_GRACE_MS = 5000,
};

/* Begins as always, with keep_s -1. */
struct demand {
	enum demand_state state;
	int keep_s; /* after the last viewer */
	unsigned viewers;
	bool read; /* by a stream that runs */
	uint64_t end_ms; /* of DEMAND_LINGERING; else 0 */
};

/* keep_s: -1: always, 0: stop at once.  running: the stream runs, so it may
 * have viewers that are not counted yet. */
void demand_set(struct demand *, int keep_s, bool running, uint64_t now_ms);
/* The stream has so many viewers now. */
void demand_viewers(struct demand *, unsigned n, uint64_t now_ms);
/* Viewers have lost their connections, and may return; so many are left. */
void demand_lost(struct demand *, unsigned left, uint64_t now_ms);
/* Streams that run read it, or none. */
void demand_read(struct demand *, bool read, uint64_t now_ms);
/* Time has passed. */
void demand_pass(struct demand *, uint64_t now_ms);

bool demand_is_wanted(const struct demand *);

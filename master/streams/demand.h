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
	DEMAND_WAITING, /* stopped, until a viewer or reader comes */
	DEMAND_ACTIVE,
	DEMAND_LINGERING, /* without viewers or readers; stops at end_ms */
};

enum {
	/* Time in which the viewers of a crashed deliver worker return, and in
	 * which the viewers of a running stream that was not on demand are
	 * counted. */
	DEMAND_GRACE_MS = 5000,
};

/* Initial state: DEMAND_ALWAYS, with keep_s -1. */
struct demand {
	enum demand_state state;
	/* seconds for which the stream runs after its last viewer or reader has
	 * left; -1: always */
	int keep_s;
	unsigned viewers;
	bool read; /* a running stream or adapter reads this one */
	uint64_t end_ms; /* end of DEMAND_LINGERING; 0 in other states */
};

/* Applies http_keep_active.  keep_s in seconds; -1: always, 0: stops at once.
 * running: the stream runs, so it may have viewers that are not counted yet. */
void demand_set(struct demand *, int keep_s, bool running, uint64_t now_ms);
/* The stream has n viewers now. */
void demand_viewers(struct demand *, unsigned n, uint64_t now_ms);
/* A deliver worker has ended: its viewers have lost their connections, and
 * have DEMAND_GRACE_MS to return.  left: viewers of other workers. */
void demand_lost(struct demand *, unsigned left, uint64_t now_ms);
/* read: a running stream or adapter reads this one; false: none does any
 * more. */
void demand_read(struct demand *, bool read, uint64_t now_ms);
/* Changes DEMAND_LINGERING to DEMAND_WAITING if end_ms has passed.  Call it at
 * end_ms. */
void demand_pass(struct demand *, uint64_t now_ms);

bool demand_is_wanted(const struct demand *);

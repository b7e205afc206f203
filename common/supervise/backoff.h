/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the delay between the failure of a worker and its next start.
 *
 * No delay after the first failure, then 1, 2 and 4 s.  From the fifth failure
 * in a row the worker is in quarantine: one start a minute.  Each delay varies
 * by ± 20 %, so that many workers do not start at the same moment.  Two starts
 * of a worker are at least BACKOFF_SPACING_MS apart.  A healthy minute resets
 * the count.  A worker that asks for a successor has not failed, unless it asks
 * too often.  Pure: the caller passes the time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	BACKOFF_FIRST_MS = 1000,
	BACKOFF_MAX_MS = 60000,
	BACKOFF_HEALTHY_MS = 60000,
	BACKOFF_QUARANTINE = 5, /* failures in a row that lead to quarantine */
	/* shortest time between two starts of one worker */
	BACKOFF_SPACING_MS = 1000,
	/* Successors that a worker may request in a row, unless its role sets
	 * another number (renewals). */
	BACKOFF_RENEWALS = 3,
	/* After BACKOFF_RENEWALS it may request one successor in each such
	 * time. */
	BACKOFF_RENEWAL_MS = 60000,
	/* A worker that has worked so long without a pause may again request
	 * the whole number of successors. */
	BACKOFF_WORK_MS = 10000,
};

/* Embedded; zeroed memory is ready. */
struct backoff {
	uint32_t seed; /* seeds the jitter; any value */
	/* successors allowed in a row; 0: BACKOFF_RENEWALS */
	unsigned renewals;
	unsigned ends; /* failures since the last healthy minute */
	uint64_t started_ms; /* time of the last start */
	/* time of worker.ready; 0: not ready since the start */
	uint64_t ready_ms;
	/* from this time on the whole number of successors is allowed again;
	 * each successor moves it by BACKOFF_RENEWAL_MS */
	uint64_t renewed_ms;
	/* since when the worker works without a pause (backoff_works()); 0: it
	 * does not work */
	uint64_t works_ms;
};

void backoff_started(struct backoff *, uint64_t now_ms);
void backoff_ready(struct backoff *, uint64_t now_ms);

/* Notes a status of the worker: resets the count after a healthy minute. */
void backoff_alive(struct backoff *, uint64_t now_ms);

/* Counts a failure; returns the delay in ms until the next start. */
unsigned backoff_ended(struct backoff *, uint64_t now_ms);

/* The earliest time at which the worker may ask for a successor; 0: at once. */
uint64_t backoff_renew_ms(const struct backoff *);

/* The delay in ms that keeps BACKOFF_SPACING_MS between two starts. */
unsigned backoff_spacing(const struct backoff *, uint64_t now_ms);

/* The worker asks for a successor.  True: granted; false: it asks too early,
 * which is a failure. */
bool backoff_renew(struct backoff *, uint64_t now_ms);

/* Notes a status.  works: the worker does the work for which its predecessor
 * asked for a successor.  After BACKOFF_WORK_MS of work the count of successors
 * is reset. */
void backoff_works(struct backoff *, bool works, uint64_t now_ms);

/* Resets the count of failures, after a change by an operator. */
void backoff_reset(struct backoff *);

bool backoff_is_quarantine(const struct backoff *);

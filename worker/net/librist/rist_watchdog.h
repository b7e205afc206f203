/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells a thread of librist that is at work from one that is caught.
 *
 * Each of them goes to sleep every 5 ms by itself, but for one that reads at
 * once what never ends.  Who does neither runs in a loop, or waits for what
 * does not come.  A machine that has no time for it makes it neither sleep nor
 * run, and is not its fault.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	RIST_WATCHDOG_CHECKS = 5,      /* that it may wait */
	RIST_WATCHDOG_LOOP_MS = 3000, /* of the processor */
};

/* What is seen of it. */
struct rist_thread_sample {
	uint64_t sleeps; /* how often it went to sleep by itself */
	uint64_t ran_ms; /* what it had of the processor */
	bool ready;      /* it runs, or could if it were let */
	bool reads;      /* what waited for it is gone */
};

/* Embedded; zeroed memory is ready. */
struct rist_watchdog {
	uint64_t sleeps;
	uint64_t ran_ms; /* when it did something last */
	unsigned looks;  /* at which it waited since */
};

/* One look; NULL: it is well, else what is wrong with it. */
const char *rist_watchdog_check(struct rist_watchdog *,
                                const struct rist_thread_sample *);

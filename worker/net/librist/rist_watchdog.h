/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Detects that a thread of librist is stuck.
 *
 * Each thread sleeps every 5 ms, unless it reads without a pause. A thread that
 * does neither is in a loop or in a deadlock. On an overloaded machine a thread
 * neither sleeps nor runs; that is no error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	RIST_WATCHDOG_CHECKS = 5,      /* without progress, until it is stuck */
	/* CPU time without sleep, until it is a loop */
	RIST_WATCHDOG_LOOP_MS = 3000,
};

/* One observation of a thread. */
struct rist_thread_sample {
	uint64_t sleeps; /* voluntary context switches */
	uint64_t ran_ms; /* CPU time */
	bool ready;      /* running or runnable */
	bool reads;      /* has read what waited for it */
};

/* Embedded; zeroed memory is ready. */
struct rist_watchdog {
	uint64_t sleeps;
	uint64_t ran_ms; /* CPU time at the last progress */
	unsigned looks;  /* without progress since then */
};

/* NULL: no error; otherwise its description. */
const char *rist_watchdog_check(struct rist_watchdog *,
				const struct rist_thread_sample *);

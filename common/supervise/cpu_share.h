/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU time of a process and its waiting time for a processor.
 *
 * Distinguishes a process that hangs from one that is ready to run on an
 * overloaded machine.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	CPU_SHARE_ENOUGH_MS =
		1500, /* a process that ran so long did not starve */
};

/* Of its first thread, since its start, in nanoseconds. */
struct cpu_share {
	uint64_t at_ns; /* monotonic time of the measurement */
	uint64_t ran_ns;
	uint64_t waited_ns; /* ready, without a processor */
};

/* Reads /proc/PID/schedstat.  -errno when the kernel lacks it or hides the
 * process. */
int cpu_share_read(pid_t, struct cpu_share *ret) MUST_CHECK;

/* True when it waited for at least a quarter of the time between the two and
 * ran for less than CPU_SHARE_ENOUGH_MS. */
bool cpu_share_is_starved(const struct cpu_share *before,
			  const struct cpu_share *now);

/* Measures a worker without a heartbeat; embedded. */
struct cpu_watch {
	struct cpu_share before; /* at_ns 0: unknown */
	bool logged;
};

/* Starts the measurement. */
void cpu_watch_begin(struct cpu_watch *, pid_t);

/* True when it starved since then.  Logs it the first time. */
bool cpu_watch_excuses(struct cpu_watch *, pid_t, const char *name);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a process has had of the processors, and how long it waited for them:
 * tells one that hangs from one that is ready to work and is not let.
 */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	CPU_SHARE_ENOUGH_MS = 1500, /* who had that much is kept from nothing */
};

/* Nanoseconds of its first thread, since it began. */
struct cpu_share {
	uint64_t at_ns; /* monotonic: when this was so */
	uint64_t ran_ns;
	uint64_t waited_ns; /* ready to run, and did not */
};

/* From /proc/PID/schedstat.  -errno where it cannot be had: the kernel has no
 * such figures, or hides the process. */
int cpu_share_read(pid_t, struct cpu_share *ret) MUST_CHECK;

/* From one look to a later one: did it wait for a quarter of the time or more,
 * and have less than CPU_SHARE_ENOUGH_MS? */
bool cpu_share_is_starved(const struct cpu_share *before,
			  const struct cpu_share *now);

/* Over one silence of a process; embedded. */
struct cpu_watch {
	struct cpu_share before; /* at_ns 0: unknown */
	bool told;
};

/* Its silence is looked at from now on. */
void cpu_watch_begin(struct cpu_watch *, pid_t);

/* Has it been starved since?  Says so in the log the first time. */
bool cpu_watch_excuses(struct cpu_watch *, pid_t, const char *name);

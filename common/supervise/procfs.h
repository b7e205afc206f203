/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses files of /proc (proc(5)); pure apart from procfs_read(). */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Replaces text by the whole file, terminated; 0 or -errno. */
int procfs_read(const char *path, struct buf *text) MUST_CHECK;

/* Reads from the text of /proc/stat the clock ticks of all processors since
 * boot: the busy ticks, and all ticks.  0 or -EINVAL. */
int procfs_stat_parse(const char *text, uint64_t *ret_busy,
		      uint64_t *ret_all) MUST_CHECK;

/* Reads total and available memory in KiB from the text of /proc/meminfo.  0 or
 * -EINVAL. */
int procfs_meminfo_parse(const char *text, uint64_t *ret_total,
			 uint64_t *ret_available) MUST_CHECK;

/* Reads from the text of /proc/vmstat how many processes the kernel has ended
 * for lack of memory.  0 or -EINVAL. */
int procfs_oom_kills_parse(const char *text, uint64_t *ret) MUST_CHECK;

struct procfs_pid {
	uint64_t ticks; /* user and system time in clock ticks */
	uint64_t threads;
	uint64_t pages; /* resident pages, also of mapped files and rings */
};

/* Reads the text of /proc/PID/stat.  0 or -EINVAL. */
int procfs_pid_stat_parse(const char *text, struct procfs_pid *ret) MUST_CHECK;

/* Reads from the text of /proc/PID/status the KiB of anonymous memory, without
 * mapped files and shared memory.  0 or -EINVAL. */
int procfs_pid_status_parse(const char *text, uint64_t *ret_kib) MUST_CHECK;

/* The process of a pidfd, from the text of /proc/PID/fdinfo/FD; 0: the process
 * has ended; -EINVAL: no pidfd. */
int procfs_fdinfo_pid_parse(const char *text) MUST_CHECK;

/* Reads the next number of a list ("12 34 "); false at its end. */
bool procfs_next_pid(const char **text, pid_t *ret);

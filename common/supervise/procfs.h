/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the texts of /proc (proc(5)); pure but for proc_read(). */
#pragma once

#include "common/base/buf.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The whole file, terminated, into text (emptied first); 0 or -errno. */
int proc_read(const char *path, struct buf *text) MUST_CHECK;

/* /proc/stat: ticks all processors were busy since boot.  0 or -EINVAL. */
int proc_stat_parse(const char *text, uint64_t *ret_busy) MUST_CHECK;

/* /proc/meminfo, KiB. */
int proc_meminfo_parse(const char *text, uint64_t *ret_total,
		       uint64_t *ret_available) MUST_CHECK;

struct proc_pid {
	uint64_t ticks; /* user and system time */
	uint64_t threads;
};

/* /proc/PID/stat. */
int proc_pid_stat_parse(const char *text, struct proc_pid *ret) MUST_CHECK;

/* /proc/PID/status: KiB of memory that is its own or shared memory it filled
 * (files that processes share are not counted). */
int proc_pid_status_parse(const char *text, uint64_t *ret_kib) MUST_CHECK;

/* /proc/PID/fdinfo/FD of a pidfd: the process; 0 when it has ended. */
int proc_fdinfo_pid_parse(const char *text) MUST_CHECK;

/* Takes the next number off a list ("12 34 "); false at its end. */
bool proc_next_pid(const char **text, pid_t *ret);

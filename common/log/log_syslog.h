/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines for the system's log, by datagram.  Never waits: what it does not take
 * is dropped, and counted in the first line that it takes again.
 */
#pragma once

#include "common/base/log.h"

struct log_syslog;

/* path is /dev/log but in tests; both are copied. */
struct log_syslog *log_syslog_open(const char *path, const char *ident);
/* NULL-safe; sets *s to NULL. */
void log_syslog_close(struct log_syslog **);

void log_syslog_write(struct log_syslog *, enum log_level,
		      const char *component, const char *text);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends log lines to syslog by datagram.  It never waits: lines that syslog
 * does not accept are dropped, and the next accepted line reports their number.
 */
#pragma once

#include "common/base/log.h"

struct log_syslog;

/* path is /dev/log except in tests; both texts are copied.  Never NULL: the
 * first line connects. */
struct log_syslog *log_syslog_open(const char *path, const char *ident);
/* NULL-safe; sets *s to NULL. */
void log_syslog_close(struct log_syslog **);

void log_syslog_write(struct log_syslog *, enum log_level,
		      const char *component, const char *text);

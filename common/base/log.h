/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log of the process: one sink, set at start.
 *
 * This is the only process-wide state of the programs.  Libraries (common/base,
 * proto, worker/ts) never log.  The code that decides what happens next logs
 * once: object, event, reason.  A call that may repeat uses a struct ratelimit.
 */
#pragma once

#include "common/base/util.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO,
		 LOG_LEVEL_DEBUG };

enum { LOG_HEAD_MAX = 64 };

/* text is one line without a newline, borrowed for the call. */
typedef void log_sink_fn(enum log_level, const char *component,
			 const char *text, void *arg);

/*
 * Sends lines up to and including level to sink.  A NULL sink, and no call at
 * all, mean stderr.  Call this early also for stderr: see log_to_stderr().
 */
void log_open(log_sink_fn *sink, void *arg, enum log_level level);

/* The level up to which lines are logged. */
enum log_level log_level(void);

/*
 * The sink that writes to stderr: "<6>component: text" if stderr is the
 * journal (JOURNAL_STREAM), else the line begins with log_head().  It never
 * waits.  If the reader stalls, the sink drops lines and reports their number
 * in the next line that it can write.
 */
void log_to_stderr(enum log_level, const char *component, const char *text,
		   void *arg);

/* The head of a line with local time and level:
 * "2026-11-20T12:34:56.789+01:00 warning ". */
void log_head(enum log_level, char head[LOG_HEAD_MAX]);

void log_error(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);
void log_warning(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);
void log_info(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);
void log_debug(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* Replaces control characters, which could control a terminal or split the
 * line: C0 controls, DEL and, in UTF-8, C1 controls.  The log calls it for
 * every line. */
void log_clean(char *text);

/* "error", "warning", "info", "debug"; NULL ends them. */
extern const char *const log_level_names[];

/* The name of a level. */
const char *log_level_format(enum log_level);

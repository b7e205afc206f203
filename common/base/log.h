/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log of the process: one sink, set once at start.
 *
 * The only process-wide state in the programs.  Libraries (common, proto,
 * worker/ts, codecs) never log; whoever decides what happens next logs, once:
 * what failed, on what, why.  A repeating site holds a struct ratelimit.
 */
#pragma once

#include "common/base/util.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO,
		 LOG_LEVEL_DEBUG };

enum { LOG_HEAD_MAX = 64 };

/* text is one line without its end; borrowed for the call. */
typedef void log_sink_fn(enum log_level, const char *component,
			 const char *text, void *arg);

/*
 * Lines up to and with level go to sink from now on.  Before the first call
 * they go to stderr.  NULL brings stderr back.  Call it early, for stderr as
 * well: see log_to_stderr().
 */
void log_open(log_sink_fn *sink, void *arg, enum log_level level);

/* Lines of this level and those before it are taken. */
enum log_level log_level(void);

/*
 * The sink that writes to stderr: "<6>component: text" where it is the
 * journal's (JOURNAL_STREAM says so), else with log_head() before it.
 * Never waits: what a reader that has stalled does not take is dropped, and
 * counted in the first line that it takes again.
 */
void log_to_stderr(enum log_level, const char *component, const char *text,
		   void *arg);

/* What a line begins with where nobody else tells the time:
 * "2026-11-20T12:34:56.789+01:00 warning ", of now and here. */
void log_head(enum log_level, char head[LOG_HEAD_MAX]);

void log_error(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);
void log_warning(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);
void log_info(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);
void log_debug(const char *component, const char *format, ...)
	PRINTF_LIKE(2, 3);

/* Takes out of text from outside what would steer a terminal or make more than
 * one line of it: C0 controls, DEL and, in UTF-8, C1 controls.  Every line of
 * the log has been through it. */
void log_clean(char *text);

/* "error", "warning", "info", "debug" and back (-EINVAL for another word). */
const char *log_level_format(enum log_level);
int log_level_parse(const char *word, enum log_level *ret) MUST_CHECK;

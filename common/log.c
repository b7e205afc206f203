/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

static const char *const level_names[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARNING] = "warning",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
};

static struct {
	log_sink_fn *sink;
	void *arg;
	enum log_level level;
} out = { log_to_stderr, NULL, LOG_LEVEL_INFO };

void log_open(log_sink_fn *sink, void *arg, enum log_level level)
{
	out.sink = sink != NULL ? sink : log_to_stderr;
	out.arg = arg;
	out.level = level;
}

void log_to_stderr(enum log_level level, const char *component,
		   const char *text, void *arg)
{
	static const int priorities[] = {
		[LOG_LEVEL_ERROR] = LOG_ERR,
		[LOG_LEVEL_WARNING] = LOG_WARNING,
		[LOG_LEVEL_INFO] = LOG_INFO,
		[LOG_LEVEL_DEBUG] = LOG_DEBUG,
	};

	(void)arg;
	(void)fprintf(stderr, "<%d>%s: %s\n", priorities[level], component,
		      text);
}

static void emit(enum log_level level, const char *component,
		 const char *format, va_list args) PRINTF_LIKE(3, 0);

static void emit(enum log_level level, const char *component,
		 const char *format, va_list args)
{
	char text[1024];

	if (level > out.level)
		return;
	(void)vsnprintf(text, sizeof text, format, args);
	/* one entry is one line, whatever an outside name may hold */
	for (char *c = text; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	out.sink(level, component, text, out.arg);
}

#define LOG_FUNCTION(name, level)                                   \
	void name(const char *component, const char *format, ...)   \
	{                                                           \
		va_list args;                                       \
                                                                    \
		va_start(args, format);                             \
		emit(level, component, format, args);               \
		va_end(args);                                       \
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warning, LOG_LEVEL_WARNING)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)

const char *log_level_format(enum log_level level)
{
	return level_names[level];
}

int log_level_parse(const char *word, enum log_level *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(level_names); i++) {
		if (strcmp(word, level_names[i]) == 0) {
			*ret = (enum log_level)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/log.h"

#include "common/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

enum {
	TEXT_MAX = 1024,
	HEAD_MAX = 16,
	COMPONENT_MAX = 96, /* a role, and the longest id */
};

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
	int own_fd;    /* stderr, in a description of our own; -1: none */
	bool person;   /* reads stderr: it is a terminal */
	unsigned lost; /* lines that stderr did not take */
} out = { log_to_stderr, NULL, LOG_LEVEL_INFO, -1, false, 0 };

/*
 * Others write to the same pipe or terminal, and O_NONBLOCK on the description
 * that we share with them would be theirs too.  Not for files: they never
 * block, and a second description would begin at their start.
 */
static int reopen_stderr(void)
{
	struct stat st;

	if (fstat(STDERR_FILENO, &st) < 0 ||
	    (!S_ISFIFO(st.st_mode) && !isatty(STDERR_FILENO)))
		return -1;
	return open("/proc/self/fd/2",
		    O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

void log_open(log_sink_fn *sink, void *arg, enum log_level level)
{
	out.sink = sink != NULL ? sink : log_to_stderr;
	out.arg = arg;
	out.level = level;
	fd_close(&out.own_fd);
	out.own_fd = reopen_stderr();
	out.person = isatty(STDERR_FILENO) == 1;
}

enum log_level log_level(void)
{
	return out.level;
}

/* Whole and at once, or not. */
static bool write_line(const char *line, size_t len)
{
	int fd = out.own_fd >= 0 ? out.own_fd : STDERR_FILENO;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	/* no less than PIPE_BUF bytes fit into a pipe that is writable */
	if (poll(&p, 1, 0) != 1 || (p.revents & POLLOUT) == 0)
		return false;
	n = send(fd, line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno == ENOTSOCK)
		n = write(fd, line, len);
	return n == (ssize_t)len;
}

/* "<6>" for the journal, which adds the time; the time for a person. */
static void format_head(enum log_level level, char head[HEAD_MAX])
{
	static const int priorities[] = {
		[LOG_LEVEL_ERROR] = LOG_ERR,
		[LOG_LEVEL_WARNING] = LOG_WARNING,
		[LOG_LEVEL_INFO] = LOG_INFO,
		[LOG_LEVEL_DEBUG] = LOG_DEBUG,
	};
	time_t now = time(NULL);
	struct tm tm;

	if (!out.person)
		(void)snprintf(head, HEAD_MAX, "<%d>", priorities[level]);
	else if (localtime_r(&now, &tm) == NULL ||
		 strftime(head, HEAD_MAX, "%H:%M:%S ", &tm) == 0)
		head[0] = '\0';
}

void log_to_stderr(enum log_level level, const char *component,
		   const char *text, void *arg)
{
	char line[HEAD_MAX + COMPONENT_MAX + TEXT_MAX + 8];
	char head[HEAD_MAX];

	(void)arg;
	if (out.lost > 0) {
		format_head(LOG_LEVEL_WARNING, head);
		(void)snprintf(line, sizeof line,
			       "%slog: %u lines are lost: nobody read them\n",
			       head, out.lost);
		if (write_line(line, strlen(line)))
			out.lost = 0;
	}
	format_head(level, head);
	(void)snprintf(line, sizeof line, "%s%.*s: %.*s\n", head,
		       COMPONENT_MAX, component, TEXT_MAX - 1, text);
	if (out.lost > 0 || !write_line(line, strlen(line)))
		out.lost++;
}

void log_clean(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
		if (*c < 0x20 || *c == 0x7f)
			*c = ' ';
		else if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
			c[0] = c[1] = ' ';
	}
}

static void emit(enum log_level level, const char *component,
		 const char *format, va_list args) PRINTF_LIKE(3, 0);

static void emit(enum log_level level, const char *component,
		 const char *format, va_list args)
{
	char text[TEXT_MAX];

	if (level > out.level)
		return;
	(void)vsnprintf(text, sizeof text, format, args);
	log_clean(text);
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

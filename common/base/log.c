/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/log.h"

#include "common/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

enum {
	TEXT_MAX = 1024,
	COMPONENT_MAX = 96, /* bytes: a role and the longest id */
};

const char *const log_level_names[] = {
	[LOG_LEVEL_ERROR] = "error",
	[LOG_LEVEL_WARNING] = "warning",
	[LOG_LEVEL_INFO] = "info",
	[LOG_LEVEL_DEBUG] = "debug",
	NULL,
};

static struct {
	log_sink_fn *sink;
	void *arg;
	enum log_level level;
	int own_fd;    /* stderr with its own file description; -1: none */
	bool journal;  /* the journal reads stderr and adds the time */
	unsigned lost; /* lines that stderr did not accept, not yet reported */
} out = { log_to_stderr, NULL, LOG_LEVEL_INFO, -1, false, 0 };

/*
 * Opens the pipe or terminal of stderr again, non-blocking, and returns the
 * descriptor; -1: stderr is neither, or cannot be opened again.
 *
 * Other processes write to the same pipe or terminal, and O_NONBLOCK on the
 * shared file description would affect them.  Files keep the shared one: they
 * never block, and a second description would write from their start.
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
	const char *journal = getenv("JOURNAL_STREAM");
	char own[64];
	struct stat st;

	out.sink = sink != NULL ? sink : log_to_stderr;
	out.arg = arg;
	out.level = level;
	fd_close(&out.own_fd);
	out.own_fd = reopen_stderr();
	/* is stderr connected to the journal?  See systemd.exec(5). */
	out.journal = false;
	if (journal != NULL && fstat(STDERR_FILENO, &st) == 0) {
		(void)snprintf(own, sizeof own, "%ju:%ju",
			       (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
		out.journal = strcmp(journal, own) == 0;
	}
	tzset(); /* a confined worker cannot read the time zone later */
}

enum log_level log_level(void)
{
	return out.level;
}

/* Writes the line without waiting.  True: all of it was written. */
static bool write_line(const char *line, size_t len)
{
	int fd = out.own_fd >= 0 ? out.own_fd : STDERR_FILENO;
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	ssize_t n;

	/* a writable pipe accepts at least PIPE_BUF bytes */
	if (poll(&p, 1, 0) != 1 || (p.revents & POLLOUT) == 0)
		return false;
	n = send(fd, line, len, MSG_DONTWAIT | MSG_NOSIGNAL);
	if (n < 0 && errno == ENOTSOCK)
		n = write(fd, line, len);
	return n == (ssize_t)len;
}

void log_head(enum log_level level, char head[LOG_HEAD_MAX])
{
	char at[32] = "", zone[8] = "+0000";
	struct timespec now;
	struct tm tm;

	(void)clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &tm) != NULL) {
		(void)strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%S", &tm);
		(void)strftime(zone, sizeof zone, "%z", &tm);
	}
	(void)snprintf(head, LOG_HEAD_MAX, "%s.%03ld%.3s:%s %s ", at,
		       now.tv_nsec / 1000000, zone, zone + 3,
		       log_level_format(level));
}

static void format_head(enum log_level level, char head[LOG_HEAD_MAX])
{
	static const int priorities[] = {
		[LOG_LEVEL_ERROR] = LOG_ERR,
		[LOG_LEVEL_WARNING] = LOG_WARNING,
		[LOG_LEVEL_INFO] = LOG_INFO,
		[LOG_LEVEL_DEBUG] = LOG_DEBUG,
	};

	if (out.journal)
		(void)snprintf(head, LOG_HEAD_MAX, "<%d>", priorities[level]);
	else
		log_head(level, head);
}

void log_to_stderr(enum log_level level, const char *component,
		   const char *text, void *arg)
{
	char line[LOG_HEAD_MAX + COMPONENT_MAX + TEXT_MAX + 8];
	char head[LOG_HEAD_MAX];

	(void)arg;
	if (out.lost > 0) {
		format_head(LOG_LEVEL_WARNING, head);
		(void)snprintf(line, sizeof line,
			       "%slog: %u lines dropped: the reader of "
			       "standard error was too slow\n",
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
	return log_level_names[level];
}

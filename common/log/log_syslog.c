/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/log/log_syslog.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1400 };

struct log_syslog {
	char *path;
	char *ident;
	int fd; /* -1: not connected */
	unsigned dropped;
};

struct log_syslog *log_syslog_open(const char *path, const char *ident)
{
	struct log_syslog *s = xcalloc(1, sizeof *s);

	s->path = xstrdup(path);
	s->ident = xstrdup(ident);
	s->fd = -1;
	return s;
}

void log_syslog_close(struct log_syslog **p)
{
	struct log_syslog *s = *p;

	*p = NULL;
	if (s == NULL)
		return;
	fd_close(&s->fd);
	free(s->path);
	free(s->ident);
	free(s);
}

static bool connect_to(struct log_syslog *s)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };

	if (strlen(s->path) >= sizeof to.sun_path)
		return false;
	(void)snprintf(to.sun_path, sizeof to.sun_path, "%s", s->path);
	s->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0)
		return false;
	if (connect(s->fd, (struct sockaddr *)&to, sizeof to) == 0)
		return true;
	fd_close(&s->fd);
	return false;
}

static bool send_text(struct log_syslog *s, int priority,
		      const char *component, const char *text)
{
	char line[LINE_MAX_BYTES], at[32];
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm) == NULL ||
	    strftime(at, sizeof at, "%b %e %H:%M:%S", &tm) == 0)
		at[0] = '\0';
	(void)snprintf(line, sizeof line, "<%d>%s %s[%d]: %s: %s",
		       LOG_DAEMON | priority, at, s->ident, (int)getpid(),
		       component, text);
	/* a restarted daemon has a new socket: try once more */
	for (int i = 0; i < 2; i++) {
		if (s->fd < 0 && !connect_to(s))
			return false;
		if (send(s->fd, line, strlen(line), MSG_NOSIGNAL) >= 0)
			return true;
		fd_close(&s->fd);
	}
	return false;
}

void log_syslog_write(struct log_syslog *s, enum log_level level,
		      const char *component, const char *text)
{
	static const int priorities[] = {
		[LOG_LEVEL_ERROR] = LOG_ERR,
		[LOG_LEVEL_WARNING] = LOG_WARNING,
		[LOG_LEVEL_INFO] = LOG_INFO,
		[LOG_LEVEL_DEBUG] = LOG_DEBUG,
	};
	char dropped[64];

	if (s->dropped > 0) {
		(void)snprintf(dropped, sizeof dropped, "%u lines dropped: "
							"syslog did not take "
							"them",
			       s->dropped);
		if (send_text(s, LOG_WARNING, "log", dropped))
			s->dropped = 0;
	}
	if (s->dropped > 0 || !send_text(s, priorities[level], component, text))
		s->dropped++;
}

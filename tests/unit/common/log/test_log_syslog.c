/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/fd.h"
#include "common/base/util.h"
#include "common/log/log_syslog.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[] = "/tmp/log-syslog-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/log", folder);
}

static void tear_down(void)
{
	(void)unlink(path);
	(void)rmdir(folder);
}

TestSuite(log_syslog, .init = set_up, .fini = tear_down);

static int listen_there(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	(void)snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	(void)unlink(path);
	cr_assert_eq(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	return fd;
}

static const char *receive(int fd, char line[2048])
{
	ssize_t n = recv(fd, line, 2047, 0);

	line[n > 0 ? n : 0] = '\0';
	return line;
}

static void expect(int fd, const char *head, const char *end)
{
	char line[2048], tail[128];

	(void)receive(fd, line);
	(void)snprintf(tail, sizeof tail, " me[%d]: %s", (int)getpid(), end);
	cr_expect_eq(strncmp(line, head, strlen(head)), 0, "%s", line);
	cr_assert_geq(strlen(line), strlen(tail), "%s", line);
	cr_expect_str_eq(line + strlen(line) - strlen(tail), tail, "%s", line);
}

Test(log_syslog, sends_priority_name_and_text)
{
	int fd = listen_there();
	struct log_syslog *s = log_syslog_open(path, "me");

	log_syslog_write(s, LOG_LEVEL_ERROR, "part", "bad");
	log_syslog_write(s, LOG_LEVEL_INFO, "part", "good");
	expect(fd, "<27>", "part: bad");
	expect(fd, "<30>", "part: good");
	log_syslog_close(&s);
	cr_expect_null(s);
	fd_close(&fd);
}

Test(log_syslog, counts_lost_lines_and_finds_a_new_daemon)
{
	struct log_syslog *s = log_syslog_open(path, "me");
	int fd;

	log_syslog_write(s, LOG_LEVEL_INFO, "part", "one");
	fd = listen_there();
	log_syslog_write(s, LOG_LEVEL_INFO, "part", "two");
	expect(fd, "<28>", "log: 1 lines dropped: syslog "
			   "did not take them");
	expect(fd, "<30>", "part: two");
	fd_close(&fd);
	fd = listen_there();
	log_syslog_write(s, LOG_LEVEL_INFO, "part", "three");
	expect(fd, "<30>", "part: three");
	log_syslog_close(&s);
	fd_close(&fd);
}

Test(log_syslog, does_not_wait_for_a_daemon_that_does_not_read)
{
	int fd = listen_there();
	struct log_syslog *s = log_syslog_open(path, "me");
	char line[2048];
	unsigned n = 0;

	/* more than a socket holds; a wait would never end */
	for (int i = 0; i < 20000; i++)
		log_syslog_write(s, LOG_LEVEL_INFO, "part", "again");
	while (receive(fd, line)[0] != '\0')
		n++;
	cr_expect_gt(n, 0u);
	cr_expect_lt(n, 20000u);
	log_syslog_write(s, LOG_LEVEL_INFO, "part", "last");
	(void)receive(fd, line);
	cr_expect_not_null(strstr(line, "lines dropped"), "%s", line);
	log_syslog_close(&s);
	fd_close(&fd);
}

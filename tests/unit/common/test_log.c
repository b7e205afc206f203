/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/log.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINES = 2000 }; /* of about 500 bytes: more than any buffer holds */

/* stderr is in from now on; out is where it is read. */
static void take_stderr(int out, int in)
{
	cr_assert_eq(fcntl(out, F_SETFL, O_NONBLOCK), 0);
	cr_assert_eq(dup2(in, STDERR_FILENO), STDERR_FILENO);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
}

/* What waits there, with a 0 behind it. */
static void read_all(int out, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while ((n = read(out, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
}

static void stall_and_go_on(int out, int in)
{
	static char text[LINES * 600];
	unsigned whole = 0, lost = 0;
	const char *told;

	take_stderr(out, in);
	for (int i = 0; i < LINES; i++)
		log_info("test", "%0500d", i);
	read_all(out, text, sizeof text);
	for (char *line = strtok(text, "\n"); line != NULL;
	     line = strtok(NULL, "\n")) {
		cr_assert_eq(strlen(line), strlen("<6>test: ") + 500);
		cr_assert_eq(strncmp(line, "<6>test: 0", 10), 0);
		whole++;
	}
	cr_assert_gt(whole, 0);
	cr_assert_lt(whole, LINES);

	log_info("test", "again");
	read_all(out, text, sizeof text);
	told = strstr(text, "<4>log: ");
	cr_assert_not_null(told, "%s", text);
	cr_assert_eq(sscanf(told, "<4>log: %u lines are lost", &lost), 1);
	cr_assert_eq(whole + lost, LINES);
	cr_assert_not_null(strstr(text, "<6>test: again\n"));
	/* told once */
	log_info("test", "and again");
	read_all(out, text, sizeof text);
	cr_assert_str_eq(text, "<6>test: and again\n");
}

Test(log, a_pipe_that_nobody_reads_costs_lines_but_no_time, .timeout = 90)
{
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	stall_and_go_on(fds[0], fds[1]);
	/* others write there as well, and may want to wait */
	cr_assert_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
}

Test(log, so_does_a_socket, .timeout = 90)
{
	int fds[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	stall_and_go_on(fds[0], fds[1]);
	cr_assert_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
}

/* Two descriptions of a file would write over each other. */
Test(log, a_file_is_appended_to_by_all_who_share_it)
{
	char path[] = "/tmp/log-XXXXXX", text[256];
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	(void)unlink(path);
	cr_assert_eq(write(fd, "before\n", 7), 7);
	take_stderr(fd, fd);
	log_info("test", "one");
	cr_assert_eq(write(fd, "between\n", 8), 8);
	log_info("test", "two");
	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	read_all(fd, text, sizeof text);
	cr_assert_str_eq(text, "before\n<6>test: one\nbetween\n<6>test: two\n");
}

Test(log, at_a_terminal_lines_have_the_time_instead_of_a_priority)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other, at = 0;
	unsigned hour, minute, second;
	char text[256];

	cr_assert_geq(terminal, 0);
	cr_assert_eq(grantpt(terminal) | unlockpt(terminal), 0);
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	cr_assert_geq(other, 0);
	take_stderr(terminal, other);
	log_warning("test", "said");
	read_all(terminal, text, sizeof text);
	cr_assert_eq(sscanf(text, "%2u:%2u:%2u %n", &hour, &minute, &second,
			    &at), 3, "%s", text);
	cr_assert_eq(at, (int)strlen("12:34:56 "), "%s", text);
	cr_assert_eq(strncmp(text + at, "test: said", 10), 0, "%s", text);
}

static char kept[2048];

static void keep(enum log_level level, const char *component,
		 const char *text, void *arg)
{
	(void)level, (void)component, (void)arg;
	(void)snprintf(kept, sizeof kept, "%s", text);
}

Test(log, nothing_steers_the_terminal)
{
	log_open(keep, NULL, LOG_LEVEL_INFO);
	/* CSI and OSC as C0 and as C1 in UTF-8 */
	log_info("test", "%s", "a\x1b[31m b\n c\x7f d\xc2\x9b" "31m "
			       "e\xc2\x9d" "0;title f\xc2\xa0g \xc3\xa9");
	cr_assert_str_eq(kept, "a [31m b  c  d  31m e  0;title f\xc2\xa0g "
			       "\xc3\xa9");
}

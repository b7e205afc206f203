/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/log.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEAD = sizeof "2026-11-20T12:34:56.789+01:00" };
enum { LINES = 2000 }; /* of about 500 bytes: more than any buffer holds */

/* stderr is in from now on; out is where it is read. */
static void take_stderr(int out, int in)
{
	cr_assert_eq(fcntl(out, F_SETFL, O_NONBLOCK), 0);
	cr_assert_eq(dup2(in, STDERR_FILENO), STDERR_FILENO);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
}

/* The data that waits there, with a 0 behind it. */
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
		cr_assert_eq(strlen(line), HEAD + strlen("info test: ") + 500);
		cr_assert_eq(strncmp(line + HEAD, "info test: 0", 12), 0);
		whole++;
	}
	cr_assert_gt(whole, 0);
	cr_assert_lt(whole, LINES);

	log_info("test", "again");
	read_all(out, text, sizeof text);
	told = strstr(text, "warning log: ");
	cr_assert_not_null(told, "%s", text);
	cr_assert_eq(sscanf(told, "warning log: %u lines dropped", &lost), 1);
	cr_assert_eq(whole + lost, LINES);
	cr_assert_not_null(strstr(text, " info test: again\n"));
	/* logged once */
	log_info("test", "and again");
	read_all(out, text, sizeof text);
	cr_assert_str_eq(text + HEAD, "info test: and again\n");
}

Test(log, a_full_pipe_costs_lines_but_no_time, .timeout = 90)
{
	int fds[2];

	cr_assert_eq(pipe(fds), 0);
	stall_and_go_on(fds[0], fds[1]);
	/* other processes write there as well, and may want to block */
	cr_assert_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
}

Test(log, so_does_a_socket, .timeout = 90)
{
	int fds[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	stall_and_go_on(fds[0], fds[1]);
	cr_assert_eq(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
}

/* A file that is stderr, with a line of somebody else's in it. */
static int take_file(void)
{
	char path[] = "/tmp/log-XXXXXX";
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	(void)unlink(path);
	cr_assert_eq(write(fd, "before\n", 7), 7);
	take_stderr(fd, fd);
	return fd;
}

static const char *text_of(int fd)
{
	static char text[256];

	cr_assert_eq(lseek(fd, 0, SEEK_SET), 0);
	read_all(fd, text, sizeof text);
	return text;
}

/* Two descriptions of a file would write over each other. */
Test(log, a_file_is_appended_to_by_several_processes)
{
	int fd = take_file(), at = 0;
	const char *text;

	log_info("test", "one");
	cr_assert_eq(write(fd, "between\n", 8), 8);
	log_info("test", "two");
	text = text_of(fd);
	(void)sscanf(text, "before %*s info test: one between %*s "
			   "info test: two %n", &at);
	cr_assert_eq(at, (int)strlen(text), "%s", text);
}

/* JOURNAL_STREAM, as if systemd had connected the file. */
static void call_journal(int fd, ino_t inode)
{
	struct stat st;
	char id[64];

	cr_assert_eq(fstat(fd, &st), 0);
	(void)snprintf(id, sizeof id, "%ju:%ju", (uintmax_t)st.st_dev,
		       (uintmax_t)(st.st_ino + inode));
	cr_assert_eq(setenv("JOURNAL_STREAM", id, 1), 0);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
}

Test(log, the_journal_gets_priorities_and_has_the_time_itself)
{
	int fd = take_file();

	call_journal(fd, 0);
	log_info("test", "one");
	log_warning("test", "two");
	cr_assert_str_eq(text_of(fd), "before\n<6>test: one\n<4>test: two\n");
}

/* A service whose stderr was redirected to a file. */
Test(log, the_journal_of_another_service_is_ignored)
{
	int fd = take_file();

	call_journal(fd, 1);
	log_info("test", "one");
	cr_assert_null(strstr(text_of(fd), "<6>"));
}

Test(log, elsewhere_lines_have_the_time_of_here_and_now)
{
	static const char *const zones[][2] = {
		{ "UTC0", "+00:00" }, { "ABC-05:45", "+05:45" },
		{ "ABC03:30", "-03:30" },
	};
	int terminal = posix_openpt(O_RDWR | O_NOCTTY), other;
	char text[256];

	cr_assert_geq(terminal, 0);
	cr_assert_eq(grantpt(terminal) | unlockpt(terminal), 0);
	other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
	cr_assert_geq(other, 0);
	for (size_t i = 0; i < ARRAY_LEN(zones); i++) {
		struct tm tm = { .tm_isdst = -1 };
		const char *rest;
		time_t before, said;

		cr_assert_eq(setenv("TZ", zones[i][0], 1), 0);
		take_stderr(terminal, other);
		before = time(NULL);
		log_warning("test", "said");
		read_all(terminal, text, sizeof text);
		rest = strptime(text, "%Y-%m-%dT%H:%M:%S.", &tm);
		cr_assert_not_null(rest, "%s", text);
		said = mktime(&tm);
		cr_assert_leq(before, said + 1); /* in ticks of the kernel */
		cr_assert_leq(said, time(NULL) + 1);
		cr_assert_eq(strspn(rest, "0123456789"), 3, "%s", text);
		cr_assert_eq(strncmp(rest + 3, zones[i][1], 6), 0, "%s", text);
		cr_assert_eq(strncmp(rest + 9, " warning test: said", 19), 0,
			     "%s", text);
	}
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

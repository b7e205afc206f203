/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits until the reply to a request of the control interface matches, as a
 * shell would with wget and grep, for much less of an emulated processor.
 *
 *	dvbwait SECONDS PATTERN PATH        GET
 *	dvbwait SECONDS PATTERN PATH BODY   POST
 *	dvbwait SECONDS PATTERN FILE        a file, without a leading /api/
 *
 * PATTERN: an extended regular expression, for the text without blanks and
 * newlines; !PATTERN: until there is a text, of a reply with status 200 or of a
 * file, that does not match.  Status 1: the time is up, and the last reply is
 * on standard output.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 8000, TEXT_MAX = 1 << 20 };

/* A pause between two looks: a part of the time that was waited for, so that a
 * long wait has few, within bounds. */
static const double PAUSE_PART = 0.1, PAUSE_MIN = 0.05, PAUSE_MAX = 1;

static char text[TEXT_MAX];

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reads all of it, at most what the text has room for; false: it has no end. */
static bool read_all(int fd, bool squeezes)
{
	size_t len = 0, to = 0;
	ssize_t n = -1;

	while (len < sizeof text - 1 &&
	       (n = read(fd, text + len, sizeof text - 1 - len)) > 0)
		len += (size_t)n;
	for (size_t i = 0; i < len; i++)
		if (!squeezes || strchr(" \t\r\n", text[i]) == NULL)
			text[to++] = text[i];
	text[to] = '\0';
	return n == 0;
}

/* False: there is no whole reply with status 200. */
static bool ask(const char *path, const char *body)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct timeval patience = { .tv_sec = 2 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool whole = false;

	text[0] = '\0';
	/* a service that starts may not answer */
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
			 sizeof patience);
	if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0) {
		(void)dprintf(fd, "%s %s HTTP/1.0\r\nHost: localhost\r\n"
			      "Content-Length: %zu\r\n\r\n%s",
			      body != NULL ? "POST" : "GET", path,
			      body != NULL ? strlen(body) : 0,
			      body != NULL ? body : "");
		whole = read_all(fd, true);
	}
	(void)close(fd);
	/* without blanks */
	return whole && strncmp(text, "HTTP/1.", 7) == 0 &&
	       strncmp(text + 8, "200", 3) == 0;
}

/* False: there is no file. */
static bool look(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool whole;

	text[0] = '\0';
	if (fd < 0)
		return false;
	whole = read_all(fd, false);
	(void)close(fd);
	return whole;
}

static bool is_api(const char *path)
{
	return strncmp(path, "/api/", 5) == 0 ||
	       strncmp(path, "/control/", 9) == 0;
}

static void pause_after(double waited)
{
	double pause = waited * PAUSE_PART;

	if (pause < PAUSE_MIN)
		pause = PAUSE_MIN;
	if (pause > PAUSE_MAX)
		pause = PAUSE_MAX;
	(void)usleep((useconds_t)(pause * 1e6));
}

int main(int argc, char **argv)
{
	bool without, there, matches;
	double begin, limit;
	regex_t re;

	if (argc < 4 || argc > 5)
		return 2;
	without = argv[2][0] == '!';
	if (regcomp(&re, argv[2] + without,
		    REG_EXTENDED | REG_NOSUB | REG_NEWLINE) != 0)
		return 2;
	limit = strtod(argv[1], NULL);
	for (begin = now();;) {
		there = is_api(argv[3])
				? ask(argv[3], argc > 4 ? argv[4] : NULL)
				: look(argv[3]);
		matches = regexec(&re, text, 0, NULL, 0) == 0;
		if (without ? there && !matches : matches)
			return 0;
		if (now() - begin >= limit)
			break;
		pause_after(now() - begin);
	}
	(void)puts(text);
	return 1;
}

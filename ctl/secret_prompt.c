/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/secret_prompt.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "ctl/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

void secret_free(char **secret)
{
	if (*secret != NULL)
		explicit_bzero(*secret, strlen(*secret));
	free(*secret);
	*secret = NULL;
}

/* Reads one line.  0, or -errno: -EINTR after a signal, -EFBIG if it is too
 * long. */
static int read_line(int fd, char *text, size_t size)
{
	size_t len = 0;
	char c;

	for (;;) {
		ssize_t n = read(fd, &c, 1);

		if (n < 0)
			return -errno;
		if (n == 0 || c == '\n' || c == '\r')
			break;
		if (len == size - 1)
			return -EFBIG;
		text[len++] = c;
	}
	text[len] = '\0';
	return 0;
}

static void on_signal(int number)
{
	(void)number; /* the signal only interrupts read() */
}

/* Prompts on the terminal and reads a line without echo.  Restores the terminal
 * also if a signal ends the input. */
static int ask(int terminal, const char *prompt, char *text, size_t size)
{
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP };
	struct sigaction old[ARRAY_LEN(stops)];
	struct sigaction wake = { .sa_handler = on_signal };
	struct termios before, silent;
	int r;

	if (tcgetattr(terminal, &before) < 0)
		return -errno;
	for (size_t i = 0; i < ARRAY_LEN(stops); i++)
		(void)sigaction(stops[i], &wake, &old[i]);
	silent = before;
	silent.c_lflag &= (tcflag_t)~ECHO;
	(void)tcsetattr(terminal, TCSAFLUSH, &silent);
	(void)!write(terminal, prompt, strlen(prompt));
	r = read_line(terminal, text, size);
	(void)tcsetattr(terminal, TCSAFLUSH, &before);
	(void)!write(terminal, "\n", 1);
	for (size_t i = 0; i < ARRAY_LEN(stops); i++)
		(void)sigaction(stops[i], &old[i], NULL);
	return r;
}

int secret_read(const char *file, const char *prompt, char **ret,
		struct errmsg *error)
{
	char text[SECRET_MAX + 1] = "";
	int r, terminal = -1;

	if (file != NULL) {
		r = file_read(file, SECRET_MAX, ret, NULL, error);
		if (r == 0)
			(*ret)[strcspn(*ret, "\r\n")] = '\0';
		return r;
	}
	if (isatty(STDIN_FILENO))
		terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	r = terminal >= 0 ? ask(terminal, prompt, text, sizeof text)
			  : read_line(STDIN_FILENO, text, sizeof text);
	fd_close(&terminal);
	if (r == 0)
		*ret = xstrdup(text);
	else
		errmsg_set(error, "cannot read the password: %s",
			   strerror(-r));
	explicit_bzero(text, sizeof text);
	return r;
}

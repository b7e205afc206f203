/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ctl/screen.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/base/util.h"
#include "ctl/text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

struct screen {
	struct termios before; /* of the terminal, to restore it */
	sigset_t signals_before; /* signal mask to restore */
	int signals; /* signalfd */
	int both; /* epoll set of keyboard and signals */
};

static void put(const char *text, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		text += n;
		len -= (size_t)n;
	}
}

static void put_text(const char *text)
{
	put(text, strlen(text));
}

bool screen_is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term != NULL &&
	       strcmp(term, "dumb") != 0;
}

static void watch(const struct screen *s, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(s->both, EPOLL_CTL_ADD, fd, &event) < 0)
		abort();
}

struct screen *screen_new(void)
{
	struct screen *s = xcalloc(1, sizeof *s);
	struct termios raw;
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &set, &s->signals_before);
	s->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	s->both = epoll_create1(EPOLL_CLOEXEC);
	if (s->signals < 0 || s->both < 0)
		abort();
	watch(s, s->signals);
	watch(s, STDIN_FILENO);
	(void)tcgetattr(STDIN_FILENO, &s->before);
	raw = s->before;
	raw.c_lflag &= (tcflag_t)~(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	raw.c_cc[VSUSP] =
		_POSIX_VDISABLE; /* Ctrl-Z must not stop the program while the
				  * terminal is in raw mode */
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	/* switch to the alternate screen, hide the cursor */
	put_text("\033[?1049h\033[?25l");
	return s;
}

void screen_free(struct screen **screen)
{
	struct screen *s = *screen;

	if (s == NULL)
		return;
	put_text("\033[?25h\033[?1049l");
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &s->before);
	fd_close(&s->both);
	fd_close(&s->signals);
	(void)sigprocmask(SIG_SETMASK, &s->signals_before, NULL);
	free(s);
	*screen = NULL;
}

void screen_size(const struct screen *s, size_t *ret_columns, size_t *ret_rows)
{
	struct winsize size = { 0 };

	(void)s;
	(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
	*ret_columns = size.ws_col > 0 ? size.ws_col : 80;
	*ret_rows = size.ws_row > 0 ? size.ws_row : 24;
}

int screen_fd(const struct screen *s)
{
	return s->both;
}

/* Reads the bytes behind an escape character, and returns the key.  All bytes
 * of a key arrive at once. */
static int read_sequence(void)
{
	static const struct {
		const char *bytes;
		int key;
	} keys[] = {
		{ "[A", SCREEN_UP },       { "OA", SCREEN_UP },
		{ "[B", SCREEN_DOWN },     { "OB", SCREEN_DOWN },
		{ "[5~", SCREEN_PAGE_UP }, { "[6~", SCREEN_PAGE_DOWN },
	};
	char bytes[8] = "";
	size_t n = 0;

	/* ECMA-48 5.4: behind "[", a byte from '@' on ends the sequence */
	while (n + 1 < sizeof bytes && read(STDIN_FILENO, bytes + n, 1) == 1)
		if (++n > 1 && bytes[n - 1] >= '@')
			break;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(bytes, keys[i].bytes) == 0)
			return keys[i].key;
	return SCREEN_OTHER;
}

int screen_key(struct screen *s)
{
	struct pollfd keyboard = { .fd = STDIN_FILENO, .events = POLLIN };
	struct signalfd_siginfo info;
	unsigned char c;

	if (read(s->signals, &info, sizeof info) == sizeof info)
		return info.ssi_signo == SIGWINCH ? SCREEN_RESIZED
						  : SCREEN_END;
	if (poll(&keyboard, 1, 0) <= 0)
		return 0;
	/* readable without data: the terminal is closed */
	if (read(STDIN_FILENO, &c, 1) != 1)
		return SCREEN_END;
	return c == '\033' ? read_sequence() : c;
}

void screen_show(struct screen *s, const struct buf *text, const char *keys)
{
	struct buf page = { 0 };
	size_t columns, rows;

	screen_size(s, &columns, &rows);
	buf_printf(&page, "\033[H");
	buf_append(&page, buf_head(text), buf_len(text));
	buf_printf(&page, "\033[J\033[%zu;1H\033[2m", rows);
	text_fit(&page, keys, MIN(columns, text_width(keys)), 0);
	buf_printf(&page, "\033[0m");
	put((const char *)buf_head(&page), buf_len(&page));
	buf_done(&page);
}

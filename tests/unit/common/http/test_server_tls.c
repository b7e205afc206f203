/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clients that begin with a TLS handshake are handed on; the others are not. */
#include "tests/unit/common/http/site.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define HELLO "\x16\x03\x01"

/* Replaces the tls worker: has no TLS, but the sockets. */
struct fake {
	int answer; /* 0: the plaintext is taken on */
	unsigned asked;
	int outer;
	int inner;
	int plain; /* the server's */
};

static int serve(int fd, void *arg)
{
	struct fake *f = arg;
	int pair[2];

	f->asked++;
	if (f->answer < 0)
		return f->answer;
	cr_assert_eq(socketpair(AF_UNIX,
				SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
				pair), 0);
	f->outer = fd;
	f->inner = pair[1];
	f->plain = pair[0];
	return pair[0];
}

static struct site *open_site(struct fake *f, int answer)
{
	struct site *s = site_open();

	*f = (struct fake){ .answer = answer, .outer = -1, .inner = -1 };
	http_server_set_tls(s->server, serve, f);
	return s;
}

static void close_site(struct site *s, struct fake *f)
{
	fd_close(&f->outer);
	fd_close(&f->inner);
	site_close(s);
}

static bool is_asked(void *arg)
{
	return ((struct fake *)arg)->asked > 0;
}

Test(http_server_tls, continues_with_the_plaintext)
{
	struct fake f;
	struct site *s = open_site(&f, 0);
	struct client c = site_visit(s), plain;
	char bytes[8];

	cr_assert(client_say(&c, HELLO));
	drive(s->loop, is_asked, &f);
	/* not a byte was taken out of the client's socket */
	cr_assert_eq(recv(f.outer, bytes, sizeof bytes, MSG_DONTWAIT), 3);
	cr_assert_eq(memcmp(bytes, HELLO, 3), 0);

	plain = (struct client){ .loop = s->loop, .fd = f.inner };
	f.inner = -1;
	for (unsigned i = 0; i < 3; i++) {
		cr_assert(client_say(&plain, GET));
		cr_assert(client_expect(&plain, "[GET / ]"));
		buf_reset(&plain.in, 0);
	}
	/* data inside of it that looks like TLS is no request */
	cr_assert(client_say(&plain, HELLO "\r\n\r\n"));
	cr_assert(client_expect_end(&plain));
	cr_assert(client_has(&plain, "HTTP/1.1 400 "));
	cr_assert_eq(f.asked, 1);
	client_close(&plain);
	client_close(&c);
	close_site(s, &f);
}

/* Does this epoll set of ours wait for that file?  proc(5), fdinfo. */
static bool epoll_holds(const char *fdinfo, uint64_t ino)
{
	FILE *f = fopen(fdinfo, "re");
	char line[256], *at;
	bool holds = false;

	while (f != NULL && fgets(line, sizeof line, f) != NULL) {
		uint64_t got;

		at = strstr(line, " ino:");
		if (strncmp(line, "tfd:", 4) == 0 && at != NULL &&
		    sscanf(at, " ino:%" SCNx64, &got) == 1)
			holds |= got == ino;
	}
	if (f != NULL)
		(void)fclose(f);
	return holds;
}

static unsigned sets_that_hold(int fd)
{
	DIR *dir = opendir("/proc/self/fdinfo");
	const struct dirent *entry;
	unsigned n = 0;
	struct stat st;

	cr_assert_not_null(dir);
	cr_assert_eq(fstat(fd, &st), 0);
	while ((entry = readdir(dir)) != NULL) {
		char path[300];

		(void)snprintf(path, sizeof path, "/proc/self/fdinfo/%s",
			       entry->d_name);
		n += epoll_holds(path, st.st_ino);
	}
	(void)closedir(dir);
	return n;
}

/* A descriptor that stays open elsewhere and in the loop's set makes the loop
 * rebuild the whole set. */
Test(http_server_tls, a_descriptor_that_is_handed_over_is_in_no_epoll_set)
{
	struct fake f;
	struct site *s = open_site(&f, 0);
	struct client c = site_visit(s);

	cr_assert(client_say(&c, HELLO));
	drive(s->loop, is_asked, &f);
	cr_assert_eq(sets_that_hold(f.outer), 0);
	(void)drive_for(s->loop, 1);
	cr_assert_eq(sets_that_hold(f.plain), 1);
	client_close(&c);
	close_site(s, &f);
}

Test(http_server_tls, an_answer_that_closes_gets_through)
{
	struct fake f;
	struct site *s = open_site(&f, 0);
	struct client c = site_visit(s), plain;

	cr_assert(client_say(&c, HELLO));
	drive(s->loop, is_asked, &f);
	plain = (struct client){ .loop = s->loop, .fd = f.inner };
	f.inner = -1;
	/* with unread bytes behind it */
	cr_assert(client_say(&plain, "GET / HTTP/1.0\r\n\r\nand more of it"));
	cr_assert(client_expect_end(&plain));
	cr_assert(client_has(&plain, "[GET / ]"));
	client_close(&plain);
	client_close(&c);
	close_site(s, &f);
}

Test(http_server_tls, without_a_certificate_it_is_no_request)
{
	struct fake f;
	struct site *s = open_site(&f, -ENOTSUP);
	struct client c = site_visit(s);

	cr_assert(client_say(&c, HELLO "\r\n\r\n"));
	cr_assert(client_expect_end(&c));
	cr_assert(client_has(&c, "HTTP/1.1 400 "));
	client_close(&c);
	close_site(s, &f);
}

Test(http_server_tls, that_cannot_be_served_is_closed)
{
	struct fake f;
	struct site *s = open_site(&f, -EMFILE);
	struct client c = site_visit(s);

	cr_assert(client_say(&c, HELLO));
	(void)client_expect_end(&c);
	cr_assert_str_eq(client_text(&c), "");
	cr_assert_eq(f.asked, 1);
	client_close(&c);
	close_site(s, &f);
}

Test(http_server_tls, plain_http_is_not_handed_over)
{
	struct fake f;
	struct site *s = open_site(&f, 0);
	struct client c = site_visit(s);

	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	/* nor later data */
	cr_assert(client_say(&c, HELLO "\r\n\r\n"));
	cr_assert(client_expect_end(&c));
	cr_assert_eq(f.asked, 0);
	client_close(&c);
	close_site(s, &f);
}

Test(http_server_tls, a_client_that_stays_silent_has_its_timeout)
{
	struct fake f;
	struct site *s = site_new();
	struct client c;
	char byte;

	f = (struct fake){ .outer = -1, .inner = -1 };
	s->cfg.head_timeout_ms = 60;
	site_listen(s);
	http_server_set_tls(s->server, serve, &f);
	c = site_visit(s);
	cr_assert(client_say(&c, HELLO));
	drive(s->loop, is_asked, &f);
	(void)drive_for(s->loop, 150);
	cr_assert_eq(recv(f.inner, &byte, 1, MSG_DONTWAIT), 0);
	client_close(&c);
	close_site(s, &f);
}

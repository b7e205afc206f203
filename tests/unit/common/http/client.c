/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/common/http/client.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/sockaddr.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

enum { PATIENCE_MS = 20000, TICK_MS = 2 };

static void on_tick(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop, (void)w, (void)revents;
}

void drive(struct ev_loop *loop, bool (*done)(void *arg), void *arg)
{
	uint64_t end = mono_ms() + PATIENCE_MS;
	ev_timer tick;

	/* our clients are not the loop's: look at them now and then */
	ev_timer_init(&tick, on_tick, TICK_MS / 1e3, TICK_MS / 1e3);
	ev_timer_start(loop, &tick);
	while (!done(arg)) {
		cr_assert_lt(mono_ms(), end, "waited in vain");
		ev_run(loop, EVRUN_ONCE);
	}
	ev_timer_stop(loop, &tick);
}

unsigned drive_for(struct ev_loop *loop, unsigned ms)
{
	uint64_t end = mono_ms() + ms;
	unsigned n = 0;
	ev_timer stop;

	/* the loop's clock is that of its last turn, long ago on a busy
	 * machine */
	ev_now_update(loop);
	/* again, should the loop's clock be a little ahead of ours */
	ev_timer_init(&stop, on_tick, ms / 1e3, TICK_MS / 1e3);
	ev_timer_start(loop, &stop);
	for (; mono_ms() < end; n++)
		ev_run(loop, EVRUN_ONCE);
	/* events that became due during a delay */
	ev_run(loop, EVRUN_NOWAIT);
	ev_timer_stop(loop, &stop);
	return n;
}

struct client client_open(struct ev_loop *loop, int listener)
{
	struct sockaddr_any to;
	struct client c = {
		.loop = loop,
		.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
	};

	cr_assert_geq(c.fd, 0);
	cr_assert_eq(sockaddr_of_listener(listener, &to), 0);
	cr_assert_eq(connect(c.fd, &to.sa, to.len), 0);
	cr_assert_eq(fd_set_nonblock(c.fd), 0);
	return c;
}

void client_close(struct client *c)
{
	fd_close(&c->fd);
	buf_done(&c->in);
}

void client_reset(struct client *c)
{
	struct linger now = { .l_onoff = 1 };

	cr_assert_eq(setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &now,
				sizeof now), 0);
	client_close(c);
}

struct sending {
	struct client *client;
	const uint8_t *data;
	size_t left;
	bool failed;
};

static bool send_some(void *arg)
{
	struct sending *s = arg;
	ssize_t n = send(s->client->fd, s->data, s->left, MSG_NOSIGNAL);

	if (n > 0) {
		s->data += n;
		s->left -= (size_t)n;
	}
	s->failed = n < 0 && errno != EAGAIN;
	return s->left == 0 || s->failed;
}

bool client_send(struct client *c, const void *data, size_t len)
{
	struct sending s = { .client = c, .data = data, .left = len };

	drive(c->loop, send_some, &s);
	return !s.failed;
}

bool client_say(struct client *c, const char *text)
{
	return client_send(c, text, strlen(text));
}

struct waiting {
	struct client *client;
	const char *text;
	size_t len;
};

static void receive(struct client *c)
{
	ssize_t n;

	do {
		n = recv(c->fd, buf_reserve(&c->in, 65536), 65536, 0);
		if (n > 0)
			buf_added(&c->in, (size_t)n);
	} while (n > 0);
	if (n == 0 || errno != EAGAIN) {
		c->eof = true;
		c->error = n == 0 ? 0 : errno;
	}
}

static bool has_come(void *arg)
{
	struct waiting *w = arg;
	struct client *c = w->client;

	if (!c->eof)
		receive(c);
	if (c->eof || (w->len > 0 && buf_len(&c->in) >= w->len))
		return true;
	return w->text && memmem(client_text(c), buf_len(&c->in), w->text,
				 strlen(w->text));
}

bool client_expect(struct client *c, const char *text)
{
	struct waiting w = { .client = c, .text = text };

	drive(c->loop, has_come, &w);
	return memmem(client_text(c), buf_len(&c->in), text, strlen(text));
}

bool client_want(struct client *c, size_t len)
{
	struct waiting w = { .client = c, .len = len };

	drive(c->loop, has_come, &w);
	return buf_len(&c->in) >= len;
}

bool client_expect_end(struct client *c)
{
	struct waiting w = { .client = c };

	drive(c->loop, has_come, &w);
	return c->error == 0;
}

bool client_has_ended(struct client *c)
{
	if (!c->eof)
		receive(c);
	return c->eof;
}

const char *client_text(struct client *c)
{
	*buf_reserve(&c->in, 1) = '\0';
	return (const char *)buf_head(&c->in);
}

bool client_has(struct client *c, const char *text)
{
	return strstr(client_text(c), text);
}

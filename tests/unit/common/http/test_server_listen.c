/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control server moves to another address of its port. */
#include "common/base/fd.h"
#include "tests/unit/common/http/site.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* More than one wake-up accepts. */
enum { CROWD = 100 };

static struct sockaddr_any late_to; /* the target of a late client */
static int late = -1;

int __real_shutdown(int fd, int how);
int __wrap_shutdown(int fd, int how);

/* A client connects after the last accept() of a retired socket. */
int __wrap_shutdown(int fd, int how)
{
	if (late_to.len > 0) {
		late = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK |
			      SOCK_CLOEXEC, 0);
		(void)connect(late, &late_to.sa, late_to.len);
	}
	late_to.len = 0;
	return __real_shutdown(fd, how);
}

static struct sockaddr_any at(const char *host, uint16_t port)
{
	struct sockaddr_any any;

	cr_assert_eq(sockaddr_parse(host, port, &any), 0);
	return any;
}

static uint16_t port_of(int fd)
{
	struct sockaddr_any any;

	cr_assert_eq(sockaddr_of_listener(fd, &any), 0);
	return sockaddr_port(&any);
}

/* Returns the port of a site that listens on this address only. */
static uint16_t open_at(struct site **ret, const char *host)
{
	struct sockaddr_any any = at(host, 0);
	struct site *s = *ret = site_new();

	s->cfg.retire_ms = 1;
	s->server = http_server_new(&s->cfg);
	cr_assert_eq(http_server_listen(s->server, &any), 0);
	return port_of(http_server_fd(s->server, 0));
}

static struct client client_at(struct ev_loop *loop, const char *host,
			       uint16_t port)
{
	struct sockaddr_any to = at(host, port);
	struct client c = {
		.loop = loop,
		.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
	};

	cr_assert_eq(connect(c.fd, &to.sa, to.len), 0, "%s", strerror(errno));
	cr_assert_eq(fd_set_nonblock(c.fd), 0);
	return c;
}

static void refuses(const char *host, uint16_t port)
{
	struct sockaddr_any to = at(host, port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(connect(fd, &to.sa, to.len), -1);
	cr_assert_eq(errno, ECONNREFUSED);
	(void)close(fd);
}

static void answers(struct site *s, const char *host, uint16_t port)
{
	struct client c = client_at(s->loop, host, port);

	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"), "%s", host);
	client_close(&c);
}

static bool is_shared(int fd)
{
	int on = -1;
	socklen_t len = sizeof on;

	cr_assert_eq(getsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, &len), 0);
	return on != 0;
}

/* A socket that shares its port with all of the same user. */
static int listen_shared(const char *host, uint16_t port)
{
	struct sockaddr_any any = at(host, port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;

	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
	cr_assert_eq(bind(fd, &any.sa, any.len), 0);
	cr_assert_eq(listen(fd, 1), 0);
	return fd;
}

/* Opens a socket beside that of the server, which is retired. */
static void begin_move(struct site *s, const char *host, uint16_t port)
{
	struct sockaddr_any to = at(host, port);
	int old = http_server_fd(s->server, 0);

	cr_assert_eq(http_server_listen(s->server, &to), -EADDRINUSE);
	cr_assert_eq(http_server_listen_beside(s->server, &to, old), 0);
	cr_assert_not(is_shared(old));
	cr_assert_not(is_shared(http_server_fd(s->server, 1)));
	http_server_retire(s->server, old);
	cr_assert_eq(http_server_fd(s->server, 0), old);
}

static void end_move(struct site *s)
{
	int old = http_server_fd(s->server, 0);

	while (http_server_fd(s->server, 1) >= 0)
		ev_run(s->loop, EVRUN_ONCE);
	cr_assert_eq(fcntl(old, F_GETFD), -1, "it is closed");
}

static void move(struct site *s, const char *host, uint16_t port)
{
	begin_move(s, host, port);
	end_move(s);
}

Test(http_listen, moves_to_all_addresses_of_the_port_and_back)
{
	struct site *s;
	uint16_t port = open_at(&s, "127.0.0.1");

	refuses("127.0.0.2", port);
	move(s, "0.0.0.0", port);
	answers(s, "127.0.0.1", port);
	answers(s, "127.0.0.2", port);
	move(s, "127.0.0.1", port);
	answers(s, "127.0.0.1", port);
	refuses("127.0.0.2", port);
	site_close(s);
}

Test(http_listen, answers_clients_that_wait_in_the_retired_socket)
{
	struct client c[CROWD];
	struct site *s;
	uint16_t port = open_at(&s, "127.0.0.1");

	for (unsigned i = 0; i < CROWD; i++) {
		c[i] = client_at(s->loop, "127.0.0.1", port);
		cr_assert_gt(send(c[i].fd, GET, strlen(GET), 0), 0);
	}
	move(s, "0.0.0.0", port);
	for (unsigned i = 0; i < CROWD; i++) {
		cr_assert(client_expect(&c[i], "[GET / ]"), "client %u", i);
		client_close(&c[i]);
	}
	site_close(s);
}

/* Its last segment of the handshake comes later, as over a long line. */
static struct client slow_client(struct ev_loop *loop, const char *host,
				 uint16_t port)
{
	struct sockaddr_any to = at(host, port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(fd_set_option(fd, IPPROTO_TCP, TCP_QUICKACK, 0), 0);
	cr_assert_eq(connect(fd, &to.sa, to.len), 0, "%s", strerror(errno));
	cr_assert_eq(fd_set_nonblock(fd), 0);
	return (struct client){ .loop = loop, .fd = fd };
}

Test(http_listen, answers_a_client_whose_handshake_ends_later)
{
	struct client c;
	struct site *s;
	uint16_t port = open_at(&s, "127.0.0.1");

	c = slow_client(s->loop, "127.0.0.1", port);
	begin_move(s, "0.0.0.0", port);
	cr_assert(client_say(&c, GET));
	end_move(s);
	cr_assert(client_expect(&c, "[GET / ]"));
	client_close(&c);
	site_close(s);
}

Test(http_listen, a_retired_socket_takes_no_client_from_the_new_one)
{
	struct site *s, *other = site_new();
	uint16_t port = open_at(&s, "127.0.0.1");
	int copy;

	begin_move(s, "0.0.0.0", port);
	copy = dup(http_server_fd(s->server, 1));
	other->server = http_server_new(&other->cfg);
	cr_assert_eq(http_server_adopt(other->server, copy), 0);
	answers(other, "127.0.0.1", port);
	site_close(other);
	end_move(s);
	site_close(s);
}

Test(http_listen, a_client_at_the_end_of_the_retired_socket_is_answered)
{
	struct client c = { .fd = -1 };
	struct site *s;
	uint16_t port = open_at(&s, "127.0.0.1");

	late_to = at("127.0.0.1", port);
	move(s, "0.0.0.0", port);
	c = (struct client){ .loop = s->loop, .fd = late };
	cr_assert(client_say(&c, GET));
	cr_assert(client_expect(&c, "[GET / ]"));
	client_close(&c);
	site_close(s);
}

Test(http_listen, ends_copies_of_the_retired_socket)
{
	struct site *s;
	uint16_t port = open_at(&s, "0.0.0.0");
	int copy = dup(http_server_fd(s->server, 0));
	struct sockaddr_any any;

	move(s, "127.0.0.1", port);
	refuses("127.0.0.2", port);
	cr_assert_eq(sockaddr_of_listener(copy, &any), -EINVAL);
	(void)close(copy);
	site_close(s);
}

Test(http_listen, leaves_other_sockets_when_it_retires_one)
{
	struct site *s;
	uint16_t port = open_at(&s, "127.0.0.1");
	struct sockaddr_any to = at("127.0.0.2", port);

	cr_assert_eq(http_server_listen(s->server, &to), 0);
	http_server_retire(s->server, http_server_fd(s->server, 1));
	while (http_server_fd(s->server, 1) >= 0)
		ev_run(s->loop, EVRUN_ONCE);
	refuses("127.0.0.2", port);
	answers(s, "127.0.0.1", port);
	http_server_retire(s->server, -1);
	cr_assert_eq(http_server_fd(s->server, 1), -1);
	answers(s, "127.0.0.1", port);
	site_close(s);
}

Test(http_listen, does_not_share_the_port_of_another_socket)
{
	struct site *s;
	int other = listen_shared("127.0.0.1", 0);
	struct sockaddr_any to = at("127.0.0.1", port_of(other));

	(void)open_at(&s, "127.0.0.1");
	cr_assert_eq(http_server_listen_beside(s->server, &to,
					       http_server_fd(s->server, 0)),
		     -EADDRINUSE);
	(void)close(other);
	site_close(s);
}

Test(http_listen, an_error_leaves_the_old_socket_as_it_was)
{
	struct site *s, *other = site_new();
	uint16_t port = open_at(&s, "127.0.0.1");
	struct sockaddr_any to = at("127.0.0.2", port);
	int old = http_server_fd(s->server, 0);

	other->server = http_server_new(&other->cfg);
	cr_assert_eq(http_server_listen(other->server, &to), 0);
	to = at("0.0.0.0", port);
	cr_assert_eq(http_server_listen_beside(s->server, &to, old),
		     -EADDRINUSE);
	cr_assert_not(is_shared(old));
	cr_assert_eq(http_server_fd(s->server, 1), -1);
	answers(s, "127.0.0.1", port);
	site_close(other);
	site_close(s);
}

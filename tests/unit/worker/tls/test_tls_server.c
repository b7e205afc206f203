/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits of time and number of connections. */
#include "worker/tls/tls_server.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "tests/component/pem.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <openssl/err.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* A clock of the calendar that a test sets: for all libraries, as this program
 * replaces the calls that read it. */
static time_t step_s;

int clock_gettime(clockid_t id, struct timespec *ret)
{
	int r = (int)syscall(SYS_clock_gettime, id, ret);

	if (r == 0 && id == CLOCK_REALTIME)
		ret->tv_sec += step_s;
	return r;
}

/* libev reads the clock by this one. */
int gettimeofday(struct timeval *ret, void *zone)
{
	int r = (int)syscall(SYS_gettimeofday, ret, zone);

	if (r == 0)
		ret->tv_sec += step_s;
	return r;
}

enum {
	PATIENCE_MS = 30000,
	SOON_MS = 60,
	NEVER_MS = 3600 * 1000,
};

struct bench {
	struct ev_loop *loop;
	ev_timer pulse;
	struct tls_server *server;
	SSL_CTX *client;
};

static void on_pulse(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)timer, (void)revents;
}

/* A limit of 0: no limit. */
static void setup(struct bench *b, struct tls_server_config cfg)
{
	struct credentials_error error = { 0 };
	struct pem pem;

	(void)signal(SIGPIPE, SIG_IGN);
	*b = (struct bench){ .loop = ev_loop_new(EVFLAG_NOENV),
			     .client = SSL_CTX_new(TLS_client_method()) };
	ev_timer_init(&b->pulse, on_pulse, 0.005, 0.005);
	ev_timer_start(b->loop, &b->pulse);
	cfg.loop = b->loop;
	cfg.connections_max = cfg.connections_max ? cfg.connections_max : 10;
	cfg.handshake_ms = cfg.handshake_ms ? cfg.handshake_ms : NEVER_MS;
	cfg.stall_ms = cfg.stall_ms ? cfg.stall_ms : NEVER_MS;
	cfg.linger_ms = cfg.linger_ms ? cfg.linger_ms : NEVER_MS;
	b->server = tls_server_new(&cfg);
	pem_new(&pem, "a.example", 30);
	cr_assert_eq(tls_server_certificate(b->server, true, pem.chain,
					    pem.key, &error), 0, "%s",
		     error.error.text);
	pem_done(&pem);
}

static void teardown(struct bench *b)
{
	tls_server_free(&b->server);
	cr_assert_null(b->server);
	SSL_CTX_free(b->client);
	ev_timer_stop(b->loop, &b->pulse);
	ev_loop_destroy(b->loop);
}

#define UNTIL(b, condition)                                          \
	do {                                                         \
		uint64_t until_end = mono_ms() + PATIENCE_MS;        \
		while (!(condition)) {                               \
			cr_assert_lt(mono_ms(), until_end, #condition); \
			ev_run((b)->loop, EVRUN_ONCE);               \
		}                                                    \
	} while (0)

struct link {
	int fd;
	int plain;
	SSL *ssl;
};

static struct link serve_client(struct bench *b, enum tls_client client)
{
	struct link l = { 0 };
	int outer[2], inner[2];
	enum { STREAM = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK };

	cr_assert_eq(socketpair(AF_UNIX, STREAM, 0, outer), 0);
	cr_assert_eq(socketpair(AF_UNIX, STREAM, 0, inner), 0);
	l.fd = outer[0];
	l.plain = inner[0];
	tls_server_take(b->server, client, outer[1], inner[1]);
	return l;
}

static struct link serve(struct bench *b)
{
	return serve_client(b, TLS_CONTROL);
}

/* Both sides have finished the handshake. */
static struct link dial_client(struct bench *b, enum tls_client client)
{
	uint64_t before = tls_server_status(b->server).handshakes;
	struct link l = serve_client(b, client);
	int n;

	l.ssl = SSL_new(b->client);
	cr_assert_eq(SSL_set_fd(l.ssl, l.fd), 1);
	while ((n = SSL_connect(l.ssl)) != 1) {
		int err = SSL_get_error(l.ssl, n);

		cr_assert(err == SSL_ERROR_WANT_READ ||
			  err == SSL_ERROR_WANT_WRITE);
		ev_run(b->loop, EVRUN_ONCE);
	}
	UNTIL(b, tls_server_status(b->server).handshakes > before);
	return l;
}

static struct link dial(struct bench *b)
{
	return dial_client(b, TLS_CONTROL);
}

static void hang_up(struct link *l)
{
	SSL_free(l->ssl);
	fd_close(&l->fd);
	fd_close(&l->plain);
}

static void hang_up_all(struct link *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hang_up(&list[i]);
}

static bool is_closed(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, 0);

	return n == 0 || (n < 0 && errno != EAGAIN);
}

static unsigned count(struct bench *b)
{
	return tls_server_status(b->server).connections;
}

Test(tls_server, a_slow_handshake_times_out, .timeout = 90)
{
	/* the header of a long record */
	static const char hello[] = "\x16\x03\x01\x02\x00";
	/* after a delay of this machine more than one may have passed */
	enum { TIME_MS = 10 * SOON_MS };
	struct bench b;
	struct link l;
	uint64_t began = mono_ms(), last = 0;
	size_t sent = 0;

	setup(&b, (struct tls_server_config){ .handshake_ms = TIME_MS });
	l = serve(&b);
	while (!is_closed(l.plain)) {
		const char *byte = sent < 5 ? hello + sent : "x";

		cr_assert_lt(mono_ms(), began + PATIENCE_MS);
		if (mono_ms() > last)
			sent += send(l.fd, byte, 1, MSG_NOSIGNAL) == 1;
		last = mono_ms();
		ev_run(b.loop, EVRUN_ONCE);
	}
	cr_expect_geq(mono_ms() - began, TIME_MS - 5);
	cr_expect_gt(sent, 1);
	cr_expect_eq(count(&b), 0);
	cr_expect_eq(tls_server_status(b.server).failed, 1);
	hang_up(&l);
	teardown(&b);
}

Test(tls_server, a_handshake_ends_when_the_other_side_closes,
     .timeout = 90)
{
	struct bench b;
	struct link l;

	setup(&b, (struct tls_server_config){ 0 });
	l = serve(&b);
	ev_run(b.loop, EVRUN_NOWAIT);
	cr_assert_eq(count(&b), 1);
	fd_close(&l.plain);
	UNTIL(&b, count(&b) == 0);
	cr_expect(is_closed(l.fd));
	hang_up(&l);
	teardown(&b);
}

Test(tls_server, an_open_connection_may_be_idle, .timeout = 90)
{
	struct bench b;
	struct link l;
	uint64_t end;
	char byte;

	setup(&b, (struct tls_server_config){ .handshake_ms = 3000,
					      .stall_ms = SOON_MS,
					      .linger_ms = SOON_MS });
	l = dial(&b);
	cr_assert_eq(send(l.plain, "x", 1, 0), 1);
	UNTIL(&b, SSL_read(l.ssl, &byte, 1) == 1);
	for (end = mono_ms() + 3200; mono_ms() < end;)
		ev_run(b.loop, EVRUN_ONCE);
	cr_expect_eq(count(&b), 1);
	cr_expect_not(is_closed(l.plain));
	hang_up(&l);
	teardown(&b);
}

Test(tls_server, disconnects_a_client_that_accepts_nothing, .timeout = 90)
{
	static const char block[65536];
	struct bench b;
	struct link l;

	setup(&b, (struct tls_server_config){ .stall_ms = SOON_MS });
	l = dial(&b);
	do
		ev_run(b.loop, EVRUN_ONCE);
	while (send(l.plain, block, sizeof block, MSG_NOSIGNAL) > 0 ||
	       errno == EAGAIN);
	cr_expect_eq(count(&b), 0);
	hang_up(&l);
	teardown(&b);
}

Test(tls_server, closes_a_client_that_does_not_close,
     .timeout = 90)
{
	struct bench b;
	struct link l;
	char byte;
	int n = -1;

	setup(&b, (struct tls_server_config){ .linger_ms = SOON_MS });
	l = dial(&b);
	cr_assert_eq(send(l.plain, "x", 1, 0), 1);
	fd_close(&l.plain);
	UNTIL(&b, SSL_read(l.ssl, &byte, 1) == 1);
	UNTIL(&b, count(&b) == 0);
	n = SSL_read(l.ssl, &byte, 1);
	cr_expect_eq(SSL_get_error(l.ssl, n), SSL_ERROR_ZERO_RETURN);
	hang_up(&l);
	teardown(&b);
}

Test(tls_server, replaces_handshakes_but_no_open_connections,
     .timeout = 90)
{
	struct link open, leaving, shaking, other, late;
	struct bench b;

	setup(&b, (struct tls_server_config){ .connections_max = 3 });
	open = dial(&b);
	leaving = dial(&b);
	shaking = serve(&b);
	cr_assert_eq(shutdown(leaving.plain, SHUT_WR), 0);
	for (int i = 0; i < 5; i++)
		ev_run(b.loop, EVRUN_ONCE);
	cr_assert_eq(count(&b), 3);

	other = dial(&b);
	cr_expect_eq(count(&b), 3);
	cr_expect(is_closed(leaving.plain));
	cr_expect_not(is_closed(shaking.plain));

	late = dial(&b);
	cr_expect_eq(count(&b), 3);
	cr_expect(is_closed(shaking.plain));
	cr_expect_not(is_closed(other.plain));
	cr_expect_not(is_closed(open.plain));

	/* now all are open */
	fd_close(&shaking.fd);
	fd_close(&shaking.plain);
	shaking = serve(&b);
	cr_expect(is_closed(shaking.plain));
	cr_expect_eq(count(&b), 3);
	hang_up(&open);
	hang_up(&leaving);
	hang_up(&shaking);
	hang_up(&other);
	hang_up(&late);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

Test(tls_server, an_idle_viewer_leaves_its_place_to_another, .timeout = 90)
{
	struct link all[3], late, control;
	struct bench b;

	setup(&b, (struct tls_server_config){ .connections_max = 4,
					      .idle_ms = SOON_MS });
	control = dial(&b);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = dial_client(&b, TLS_VIEWER);
	for (uint64_t end = mono_ms() + 2 * SOON_MS; mono_ms() < end;)
		ev_run(b.loop, EVRUN_ONCE);
	/* the first one is used again */
	cr_assert_eq(SSL_write(all[0].ssl, "x", 1), 1);
	UNTIL(&b, recv(all[0].plain, &(char){ 0 }, 1, 0) == 1);
	late = dial_client(&b, TLS_VIEWER);
	cr_expect_eq(count(&b), 4);
	cr_expect(is_closed(all[1].plain));
	cr_expect_not(is_closed(all[0].plain));
	cr_expect_not(is_closed(control.plain));
	hang_up(&control);
	hang_up_all(all, ARRAY_LEN(all));
	hang_up(&late);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

/* A quarter of the connections is for control clients. */
Test(tls_server, viewers_end_no_handshake_of_a_control_client, .timeout = 90)
{
	struct link all[4], control, late;
	struct bench b;

	setup(&b, (struct tls_server_config){ .connections_max = 4,
					      .idle_ms = NEVER_MS });
	control = serve(&b);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = serve_client(&b, TLS_VIEWER);
	cr_expect_not(is_closed(control.plain));
	cr_expect(is_closed(all[0].plain));
	for (size_t i = 1; i < ARRAY_LEN(all); i++) {
		hang_up(&all[i]);
		UNTIL(&b, count(&b) == 3);
		all[i] = dial_client(&b, TLS_VIEWER);
	}
	late = serve_client(&b, TLS_VIEWER);
	cr_expect(is_closed(late.plain));
	cr_expect_not(is_closed(control.plain));
	/* its place stays free */
	hang_up(&control);
	hang_up(&late);
	UNTIL(&b, count(&b) == 3);
	late = serve_client(&b, TLS_VIEWER);
	cr_expect(is_closed(late.plain));
	hang_up_all(all, ARRAY_LEN(all));
	hang_up(&late);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

Test(tls_server, control_clients_end_no_handshake_of_a_viewer, .timeout = 90)
{
	struct link all[4], viewer, late;
	struct bench b;

	setup(&b, (struct tls_server_config){ .connections_max = 4,
					      .idle_ms = NEVER_MS });
	viewer = serve_client(&b, TLS_VIEWER);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		all[i] = serve(&b);
	cr_expect_not(is_closed(viewer.plain));
	cr_expect(is_closed(all[0].plain));
	/* they have three connections: more than those of their own */
	hang_up(&viewer);
	UNTIL(&b, count(&b) == 3);
	viewer = serve_client(&b, TLS_VIEWER);
	late = serve_client(&b, TLS_VIEWER);
	cr_expect_not(is_closed(late.plain));
	hang_up_all(all, ARRAY_LEN(all));
	hang_up(&viewer);
	hang_up(&late);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

Test(tls_server, no_viewer_in_use_is_replaced, .timeout = 90)
{
	struct link one, other;
	struct bench b;

	setup(&b, (struct tls_server_config){ .connections_max = 1,
					      .idle_ms = NEVER_MS });
	one = dial_client(&b, TLS_VIEWER);
	other = serve_client(&b, TLS_VIEWER);
	cr_expect(is_closed(other.plain));
	cr_expect_not(is_closed(one.plain));
	hang_up(&one);
	hang_up(&other);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

/* libev reads the clock twice a second. */
static void step(struct bench *b, time_t seconds)
{
	step_s = seconds;
	for (uint64_t end = mono_ms() + 700; mono_ms() < end;)
		ev_run(b->loop, EVRUN_ONCE);
	cr_assert_lt(labs((long)(ev_now(b->loop) - (double)time(NULL)) -
			  seconds), 60, "libev does not see the step");
}

Test(tls_server, a_clock_that_is_set_makes_no_viewer_idle, .timeout = 90)
{
	struct link one, other;
	struct bench b;

	setup(&b, (struct tls_server_config){ .connections_max = 1,
					      .idle_ms = NEVER_MS });
	one = dial_client(&b, TLS_VIEWER);
	step(&b, 2 * NEVER_MS / 1000);
	other = serve_client(&b, TLS_VIEWER);
	cr_expect(is_closed(other.plain));
	cr_expect_not(is_closed(one.plain));
	hang_up(&one);
	hang_up(&other);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

Test(tls_server, a_clock_that_is_set_keeps_no_idle_viewer, .timeout = 90)
{
	struct link one, other;
	struct bench b;

	setup(&b, (struct tls_server_config){ .connections_max = 1,
					      .idle_ms = SOON_MS });
	one = dial_client(&b, TLS_VIEWER);
	step(&b, -NEVER_MS / 1000);
	other = dial_client(&b, TLS_VIEWER);
	cr_expect(is_closed(one.plain));
	cr_expect_eq(count(&b), 1);
	hang_up(&one);
	hang_up(&other);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

Test(tls_server, prefers_the_cipher_that_costs_least, .timeout = 90)
{
	struct bench b;
	struct link l;

	setup(&b, (struct tls_server_config){ 0 });
	l = dial(&b);
	cr_expect_str_eq(SSL_get_cipher(l.ssl), "TLS_AES_128_GCM_SHA256");
	hang_up(&l);
	teardown(&b);
}

static uint8_t byte_at(size_t at)
{
	return (uint8_t)(at ^ at >> 8 ^ at >> 16);
}

/* As much as the plaintext end accepts. */
static void write_plain(const struct link *l, size_t *written, size_t len)
{
	uint8_t data[5000];

	while (*written < len) {
		size_t n = MIN(len - *written, sizeof data);
		ssize_t sent;

		for (size_t i = 0; i < n; i++)
			data[i] = byte_at(*written + i);
		sent = send(l->plain, data, n, MSG_NOSIGNAL);
		if (sent < 0)
			return;
		*written += (size_t)sent;
	}
}

/* Returns whether the client got a byte. */
static bool read_client(const struct link *l, size_t *got)
{
	uint8_t data[7000];
	int n = SSL_read(l->ssl, data, sizeof data);

	for (int i = 0; i < n; i++)
		cr_assert_eq(data[i], byte_at(*got + (size_t)i));
	*got += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Records wait in the server; requests of the client pass meanwhile. */
Test(tls_server, a_client_that_reads_late_gets_every_byte, .timeout = 90)
{
	enum { LEN = 3 << 20 };
	struct bench b;
	struct link l;
	size_t written = 0, got = 0;
	char byte = 'r';

	setup(&b, (struct tls_server_config){ 0 });
	l = dial(&b);
	for (unsigned i = 0; i < 50; i++) {
		write_plain(&l, &written, LEN);
		ev_run(b.loop, EVRUN_NOWAIT);
	}
	cr_assert_lt(written, (size_t)LEN, "both sockets are full");
	cr_assert_eq(SSL_write(l.ssl, &byte, 1), 1);
	UNTIL(&b, recv(l.plain, &byte, 1, 0) == 1);
	while (got < LEN) {
		write_plain(&l, &written, LEN);
		ev_run(b.loop, EVRUN_NOWAIT);
		(void)read_client(&l, &got);
	}
	(void)shutdown(l.plain, SHUT_WR);
	UNTIL(&b, !read_client(&l, &got) &&
		  SSL_get_shutdown(l.ssl) == SSL_RECEIVED_SHUTDOWN);
	cr_expect_eq(got, (size_t)LEN);
	hang_up(&l);
	UNTIL(&b, count(&b) == 0);
	teardown(&b);
}

Test(tls_server, is_freed_during_handshakes_and_transfers, .timeout = 90)
{
	struct link open, shaking;
	struct bench b;

	setup(&b, (struct tls_server_config){ 0 });
	open = dial(&b);
	shaking = serve(&b);
	cr_assert_eq(count(&b), 2);
	teardown(&b);
	cr_expect(is_closed(open.plain));
	cr_expect(is_closed(shaking.plain));
	hang_up(&open);
	hang_up(&shaking);
}

/* These sockets are none that a kernel encrypts for. */
Test(tls_server, a_viewer_for_whom_the_kernel_cannot_encrypt_is_served,
     .timeout = 90)
{
	struct bench b;
	struct link l;
	char byte = ' ';

	setup(&b, (struct tls_server_config){ .kernel = true });
	l = dial_client(&b, TLS_VIEWER);
	cr_assert_eq(SSL_write(l.ssl, "?", 1), 1);
	UNTIL(&b, recv(l.plain, &byte, 1, 0) == 1);
	cr_expect_eq(byte, '?');
	cr_assert_eq(send(l.plain, "!", 1, 0), 1);
	UNTIL(&b, SSL_read(l.ssl, &byte, 1) == 1);
	cr_expect_eq(byte, '!');
	/* the end of the plaintext is the end for the client, with an alert */
	fd_close(&l.plain);
	UNTIL(&b, SSL_read(l.ssl, &byte, 1) == 0);
	cr_expect_eq(SSL_get_shutdown(l.ssl), SSL_RECEIVED_SHUTDOWN);
	hang_up(&l);
	teardown(&b);
}

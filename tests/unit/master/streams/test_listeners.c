/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sockets of one address, and the workers that share them. */
#include "master/streams/listeners.h"

#include "common/base/fd.h"
#include "common/supervise/handover.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 200 };

struct scene {
	struct ev_loop *loop;
	struct listeners *ls;
	struct listener *l;
	struct sockaddr_any where;
	bool serves[MSG_DELIVER_MAX];
	/* what each worker has: descriptors by slot; -1: none */
	int has[MSG_DELIVER_MAX][MSG_SLOTS_MAX];
	unsigned opened;
	unsigned closed;
};

static void on_open(void *arg)
{
	struct scene *s = arg;

	s->opened++;
}

static void on_error(const struct listener *l, const char *error, void *arg)
{
	(void)l, (void)error, (void)arg;
}

static void on_close(struct listener *l, unsigned slot, unsigned worker,
		     void *arg)
{
	struct scene *s = arg;

	(void)l;
	cr_assert_geq(s->has[worker][slot], 0);
	s->has[worker][slot] = -1;
	s->closed++;
}

static const struct listeners_events events = { on_open, on_error, on_close };

/* A free port of an address of the tests alone. */
static void init(struct scene *s, unsigned n_workers)
{
	char host[32];
	int fd;

	*s = (struct scene){ .loop = ev_loop_new(0) };
	(void)snprintf(host, sizeof host, "127.0.%d.%d",
		       (int)getpid() / 250 % 250 + 1, (int)getpid() % 250 + 1);
	cr_assert_eq(sockaddr_parse(host, 0, &s->where), 0);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	cr_assert_eq(bind(fd, &s->where.sa, s->where.len), 0);
	cr_assert_eq(getsockname(fd, &s->where.sa, &s->where.len), 0);
	(void)close(fd);
	for (size_t i = 0; i < MSG_DELIVER_MAX; i++)
		for (size_t k = 0; k < MSG_SLOTS_MAX; k++)
			s->has[i][k] = -1;
	s->ls = listeners_new(s->loop, &events, n_workers, s);
	s->l = listener_get(s->ls, &s->where, false);
}

static void done(struct scene *s)
{
	listener_put(&s->l);
	listeners_free(&s->ls);
	ev_loop_destroy(s->loop);
}

static void give(struct scene *s, unsigned worker)
{
	struct listener_socket got;

	while (listeners_take(s->ls, worker, &got)) {
		cr_assert_eq(got.listener, s->l);
		cr_assert_lt(s->has[worker][got.slot], 0);
		s->has[worker][got.slot] = got.fd;
		if (got.from < 0)
			continue;
		cr_assert_eq(s->has[got.from][got.slot], got.fd);
		s->has[got.from][got.slot] = -1;
	}
}

static void share(struct scene *s, unsigned worker, bool serves)
{
	s->serves[worker] = serves;
	if (!serves) {
		listeners_untake(s->ls, worker);
		for (size_t k = 0; k < MSG_SLOTS_MAX; k++)
			s->has[worker][k] = -1;
	}
	listeners_share(s->ls, s->serves);
}

static void give_all(struct scene *s)
{
	for (unsigned i = 0; i < MSG_DELIVER_MAX; i++)
		if (s->serves[i])
			give(s, i);
}

static unsigned count(const struct scene *s, unsigned worker)
{
	unsigned n = 0;

	for (size_t k = 0; k < MSG_SLOTS_MAX; k++)
		n += s->has[worker][k] >= 0;
	return n;
}

Test(listeners, a_worker_that_is_back_gets_its_socket_again)
{
	struct scene s;
	int first;

	init(&s, 3);
	share(&s, 1, true);
	give_all(&s);
	cr_assert_eq(count(&s, 1), 3u, "no socket is left without a worker");
	share(&s, 0, true);
	share(&s, 2, true);
	give_all(&s);
	cr_assert_eq(count(&s, 0), 1u);
	cr_assert_eq(count(&s, 1), 1u);
	cr_assert_eq(count(&s, 2), 1u);
	first = s.has[0][0];
	share(&s, 0, false);
	give_all(&s);
	cr_assert_eq(count(&s, 1) + count(&s, 2), 3u);
	cr_assert(s.has[1][0] == first || s.has[2][0] == first);
	share(&s, 0, true);
	give_all(&s);
	cr_assert_eq(s.has[0][0], first);
	cr_assert_eq(count(&s, 1), 1u);
	cr_assert_eq(count(&s, 2), 1u);
	done(&s);
	cr_assert_eq(s.closed, 3u, "each worker closes its socket");
}

Test(listeners, sockets_wait_while_no_worker_runs)
{
	struct listener_socket got;
	struct scene s;

	init(&s, 2);
	share(&s, 0, true);
	share(&s, 1, true);
	give_all(&s);
	share(&s, 0, false);
	share(&s, 1, false);
	cr_assert_not(listeners_take(s.ls, 0, &got));
	cr_assert_not(listeners_take(s.ls, 1, &got));
	share(&s, 1, true);
	give_all(&s);
	cr_assert_eq(count(&s, 1), 2u);
	done(&s);
	cr_assert_eq(s.closed, 2u);
}

static unsigned accept_all(int fd)
{
	unsigned n = 0;
	int got;

	while ((got = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		(void)close(got);
		n++;
	}
	return n;
}

static void connect_all(const struct scene *s, int clients[CLIENTS])
{
	for (size_t i = 0; i < CLIENTS; i++) {
		clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		cr_assert_eq(connect(clients[i], &s->where.sa, s->where.len),
			     0);
	}
}

/* Also those that wait in the socket of a worker that ends. */
Test(listeners, the_kernel_divides_the_clients_among_the_workers)
{
	int clients[CLIENTS];
	unsigned a, b;
	struct scene s;

	init(&s, 2);
	share(&s, 0, true);
	share(&s, 1, true);
	give_all(&s);
	connect_all(&s, clients);
	a = accept_all(s.has[0][0]);
	cr_assert_gt(a, 0u);
	cr_assert_lt(a, (unsigned)CLIENTS);
	share(&s, 1, false);
	give_all(&s);
	b = accept_all(s.has[0][1]);
	cr_assert_eq(a + b, (unsigned)CLIENTS);
	for (size_t i = 0; i < CLIENTS; i++)
		(void)close(clients[i]);
	done(&s);
}

/* Another process may not take viewers by mistake. */
Test(listeners, a_port_in_use_is_an_error)
{
	struct listeners *other;
	struct listener *l;
	struct scene s;

	init(&s, 2);
	other = listeners_new(s.loop, &events, 2, &s);
	l = listener_get(other, &s.where, false);
	cr_assert_not_null(listener_error(l));
	cr_assert_null(listener_error(s.l));
	listener_put(&l);
	listeners_free(&other);
	done(&s);
}

Test(listeners, one_worker_has_one_socket_which_it_does_not_share)
{
	socklen_t len = sizeof(int);
	struct scene s;
	int on = 1;

	init(&s, 1);
	share(&s, 0, true);
	give_all(&s);
	cr_assert_eq(count(&s, 0), 1u);
	cr_assert_eq(getsockopt(s.has[0][0], SOL_SOCKET, SO_REUSEPORT, &on,
				&len), 0);
	cr_assert_eq(on, 0);
	done(&s);
}

static bool is_shared(int fd)
{
	int on = -1;
	socklen_t len = sizeof on;

	cr_assert_eq(getsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, &len), 0);
	return on != 0;
}

static void adopt_copy(struct listeners *ls, const struct scene *s, bool trial)
{
	struct errmsg error = { 0 };
	struct handover *h = handover_of(json_pack(
		"{s:{s:i}}", "fds", "l1", dup(s->has[0][0])), &error);

	cr_assert_not_null(h, "%s", error.text);
	if (trial)
		handover_set_trial(h);
	listeners_adopt(ls, h);
	handover_free(&h);
}

/* The next master, whose listener has all addresses of the port; it gets copies
 * of the sockets of s, which has one worker for each. */
static struct listeners *take_over(struct scene *s, bool trial,
				   unsigned n_workers, struct listener **ret)
{
	struct sockaddr_any all;
	struct listeners *ls = listeners_new(s->loop, &events, n_workers, s);

	adopt_copy(ls, s, trial);
	cr_assert_eq(sockaddr_parse("0.0.0.0", sockaddr_port(&s->where), &all),
		     0);
	*ret = listener_get(ls, &all, false);
	cr_assert_not_null(listener_error(*ret), "the port is in use");
	return ls;
}

/* Settles a master with so many workers; returns how many sockets it has, and
 * frees it. */
static unsigned settle(struct scene *s, bool trial, unsigned n_workers)
{
	bool serves[MSG_DELIVER_MAX] = { true };
	struct listener_socket got;
	struct listener *l;
	struct listeners *ls = take_over(s, trial, n_workers, &l);
	unsigned n = 0;

	listeners_close_unused(ls);
	listeners_share(ls, serves);
	for (; listeners_take(ls, 0, &got); n++)
		cr_assert_eq(is_shared(got.fd), n_workers > 1);
	listeners_untake(ls, 0);
	cr_assert_eq(listener_error(l) == NULL, n > 0);
	cr_assert_not(is_shared(s->has[0][0]));
	listener_put(&l);
	listeners_free(&ls);
	return n;
}

Test(listeners, a_changed_address_of_a_port_is_open_at_once)
{
	struct scene s;

	init(&s, 1);
	share(&s, 0, true);
	give_all(&s);
	cr_assert_eq(settle(&s, false, 1), 1u);
	cr_assert_eq(settle(&s, false, 3), 3u);
	cr_assert_eq(settle(&s, true, 1), 0u, "not in a trial");
	done(&s);
}

Test(listeners, an_unused_socket_of_another_port_shares_nothing)
{
	struct scene s, other;
	struct listener *l;
	struct listeners *ls;

	init(&s, 1);
	init(&other, 2);
	share(&s, 0, true);
	give_all(&s);
	ls = take_over(&s, false, 1, &l);
	listener_put(&l);
	l = listener_get(ls, &other.where, false);
	listeners_close_unused(ls);
	cr_assert_not_null(listener_error(l));
	listener_put(&l);
	listeners_free(&ls);
	done(&other);
	done(&s);
}

static void on_later(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)t, (void)revents;
	ev_break(loop, EVBREAK_ALL);
}

Test(listeners, one_that_opens_beside_another_does_not_open_twice)
{
	struct listener *l, *same;
	struct listeners *ls;
	ev_timer later;
	struct scene s;

	init(&s, 1);
	share(&s, 0, true);
	give_all(&s);
	ls = take_over(&s, false, 1, &l);
	s.opened = 0;
	listeners_close_unused(ls);
	cr_assert_eq(s.opened, 1u);
	/* its retry, which this timer would follow, has ended */
	ev_now_update(s.loop);
	ev_timer_init(&later, on_later, (LISTEN_RETRY_MIN_MS + 10) / 1e3, 0);
	ev_timer_start(s.loop, &later);
	ev_run(s.loop, 0);
	cr_assert_eq(s.opened, 1u);
	listener_put(&l);
	listeners_free(&ls);
	/* a listener that is open, on the port of an unused socket */
	ls = take_over(&s, false, 1, &l);
	listener_put(&l);
	same = listener_get(ls, &s.where, false);
	adopt_copy(ls, &s, false);
	s.opened = 0;
	listeners_close_unused(ls);
	cr_assert_eq(s.opened, 0u);
	listener_put(&same);
	listeners_free(&ls);
	done(&s);
}

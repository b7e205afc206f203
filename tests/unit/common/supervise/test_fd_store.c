/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/supervise/fd_store.h"

#include "common/base/mono.h"
#include "common/base/units.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A service manager that takes everything, and a state of some size. */
struct bench {
	struct ev_loop *loop;
	int manager;
	struct fd_store *store;
	unsigned cost_ms;
	unsigned writes;
};

static struct handover *write_state(void *arg)
{
	struct bench *b = arg;
	uint64_t last = 0, end = mono_cost_ns() + b->cost_ms * MS;

	while (b->cost_ms > 0 && mono_cost_ns() < end)
		;
	b->writes++;
	return handover_new(&last);
}

static void bench_init(struct bench *b, unsigned cost_ms)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char name[64];

	*b = (struct bench){ .loop = ev_loop_new(EVFLAG_NOENV),
			     .cost_ms = cost_ms };
	b->manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	(void)snprintf(name, sizeof name, "@sluice-test-%d", (int)getpid());
	(void)snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "%s",
		       name + 1);
	cr_assert_eq(bind(b->manager, (const struct sockaddr *)&at,
			  (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				      strlen(name))),
		     0);
	cr_assert_eq(setenv("NOTIFY_SOCKET", name, 1), 0);
	cr_assert_eq(setenv("FDSTORE", "8", 1), 0);
	b->store = fd_store_new(&(struct fd_store_config){
		.loop = b->loop,
		.write = write_state,
		.arg = b,
	}, NULL);
}

static void bench_done(struct bench *b)
{
	fd_store_free(&b->store);
	ev_loop_destroy(b->loop);
	(void)close(b->manager);
}

static void on_change(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct bench *b = t->data;

	(void)loop, (void)revents;
	fd_store_touch(b->store);
}

/* Something changes all the time. */
static void change_for(struct bench *b, uint64_t ms)
{
	uint64_t end = mono_ms() + ms;
	ev_timer change;

	ev_timer_init(&change, on_change, 0., 0.005);
	change.data = b;
	ev_timer_start(b->loop, &change);
	while (mono_ms() < end)
		ev_run(b->loop, EVRUN_ONCE);
	ev_timer_stop(b->loop, &change);
}

Test(fd_store, writes_soon_after_a_change)
{
	struct bench b;

	bench_init(&b, 0);
	fd_store_touch(b.store);
	while (b.writes == 0)
		ev_run(b.loop, EVRUN_ONCE);
	cr_assert_eq(b.writes, 1u);
	bench_done(&b);
}

Test(fd_store, changes_without_end_do_not_take_the_processor)
{
	struct bench b;

	bench_init(&b, 20);
	change_for(&b, 1500);
	/* at once, and a second later; without a bound there are twelve */
	cr_assert_geq(b.writes, 1u);
	cr_assert_leq(b.writes, 3u);
	bench_done(&b);
}

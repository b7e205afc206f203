/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/ipc/channel.h"

#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/units.h"
#include "config.h"
#include "proto/ipc/contract.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The clocks of the channel: they take the place of common/base/mono.c, so
 * that no other program changes what a message costs or a second earns. */
static uint64_t clock_ns = SECOND_NS;
static uint64_t clock_cost_ns;

uint64_t mono_ns(void)
{
	return clock_ns;
}

uint64_t mono_ms(void)
{
	return clock_ns / MS;
}

uint64_t mono_cost_ns(void)
{
	return clock_cost_ns;
}

/* The master's end under test, the worker's end as a bare socket. */
struct bench {
	struct ev_loop *loop;
	struct channel *channel;
	int peer;

	unsigned messages;
	enum msg_type last;
	int kept_fd;
	bool keep;       /* the next descriptor */
	bool free_in_it; /* the channel, inside the next event */
	unsigned drained;
	unsigned burn_ms; /* processor time that a message takes */
	unsigned n_more; /* to send from on_drained */

	unsigned closed;
	int err;
	char why[256];
};

static void burn(unsigned ms)
{
	clock_ns += ms * MS;
	clock_cost_ns += ms * MS;
}

static void on_message(struct channel *c, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct bench *b = arg;

	cr_assert_eq(c, b->channel);
	b->messages++;
	b->last = m->type;
	burn(b->burn_ms);
	if (n_fds > 0 && b->keep) {
		b->kept_fd = fds[0];
		fds[0] = -1;
	}
	if (b->free_in_it)
		channel_free(&b->channel);
}

static void on_close(struct channel *c, int err, const char *why, void *arg)
{
	struct bench *b = arg;

	cr_assert_eq(c, b->channel);
	b->closed++;
	b->err = err;
	(void)snprintf(b->why, sizeof b->why, "%s", why);
	if (b->free_in_it)
		channel_free(&b->channel);
}

static const struct msg unlisten = { .type = MSG_DELIVER_UNLISTEN,
				     .deliver_unlisten = { "x:1", 0 } };

/* Sends while nothing has to wait, at most n_more. */
static void send_more(struct bench *b)
{
	while (b->n_more > 0 && channel_is_idle(b->channel)) {
		cr_assert_eq(channel_send(b->channel, &unlisten, NULL, 0), 0);
		b->n_more--;
	}
}

static void on_drained(struct channel *c, void *arg)
{
	struct bench *b = arg;

	cr_assert_eq(c, b->channel);
	cr_assert(channel_is_idle(c));
	b->drained++;
	send_more(b);
	if (b->free_in_it)
		channel_free(&b->channel);
}

static const struct channel_events events = { on_message, on_close,
					      on_drained };

static void setup(struct bench *b, enum msg_side side)
{
	int fds[2];

	*b = (struct bench){ .kept_fd = -1 };
	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	b->loop = ev_loop_new(0);
	b->peer = fds[1];
	b->channel = channel_new(&(struct channel_config){
		.loop = b->loop, .fd = fds[0], .receives = side,
		.events = &events, .arg = b });
}

static void teardown(struct bench *b)
{
	channel_free(&b->channel);
	fd_close(&b->peer);
	fd_close(&b->kept_fd);
	ev_loop_destroy(b->loop);
}

/* Runs the loop until nothing is left to do at once. */
static void settle(struct bench *b)
{
	for (int i = 0; i < 6000 && b->channel != NULL; i++)
		ev_run(b->loop, EVRUN_NOWAIT);
}

static void say(struct bench *b, const char *text)
{
	cr_assert_gt(send(b->peer, text, strlen(text), 0), 0);
}

static void say_with_fds(struct bench *b, const char *text, int fd, size_t n)
{
	union {
		char space[CMSG_SPACE(16 * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)text, strlen(text) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control.space,
			      .msg_controllen = CMSG_SPACE(n * sizeof fd) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int fds[16];

	for (size_t i = 0; i < n; i++)
		fds[i] = fd;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof fd);
	memcpy(CMSG_DATA(c), fds, n * sizeof fd);
	cr_assert_gt(sendmsg(b->peer, &msg, 0), 0);
}

static unsigned count_fds(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

#define READY "{\"type\":\"worker.ready\",\"body\":{}}"
#define LISTEN "{\"type\":\"deliver.listen\",\"body\":" \
	"{\"address\":\"x:1\",\"slot\":0,\"play\":false}}"

static const struct msg ready = { .type = MSG_WORKER_READY };
static const struct msg listen_there = { .type = MSG_DELIVER_LISTEN,
					 .deliver_listen.address = "x:1" };
static const struct msg total = { .type = MSG_DELIVER_STATUS };

Test(channel, hands_over_messages_in_order)
{
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	say(&b, READY);
	say(&b, "{\"type\":\"deliver.status\",\"body\":"
		"{\"viewers\":0,\"requests\":0,\"bytes\":0,\"cut\":0}}");
	settle(&b);
	cr_assert_eq(b.messages, 2);
	cr_assert_eq(b.last, MSG_DELIVER_STATUS);
	cr_assert_eq(b.closed, 0);
	teardown(&b);
}

Test(channel, reports_a_clean_end_after_the_last_messages)
{
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	say(&b, READY);
	fd_close(&b.peer);
	settle(&b);
	cr_assert_eq(b.messages, 1);
	cr_assert_eq(b.closed, 1);
	cr_assert_eq(b.err, 0);
	teardown(&b);
}

Test(channel, receives_the_last_messages_of_a_peer_that_never_read)
{
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	cr_assert_eq(channel_send(b.channel, &unlisten, NULL, 0), 0);
	say(&b, READY);
	fd_close(&b.peer);
	settle(&b);
	cr_assert_eq(b.messages, 1);
	cr_assert_eq(b.closed, 1);
	cr_assert_eq(b.err, 0);
	teardown(&b);
}

Test(channel, three_strikes_close_it)
{
	static const char *const bad[] = {
		"garbage", LISTEN, "{\"type\":\"worker.ready\"}",
	};
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	for (unsigned i = 0; i < CHANNEL_STRIKES; i++) {
		cr_assert_eq(b.closed, 0);
		say(&b, bad[i]);
		say(&b, READY);
		settle(&b);
	}
	cr_assert_eq(b.closed, 1);
	cr_assert_eq(b.err, -EBADMSG);
	cr_assert_neq(b.why[0], '\0');
	cr_assert_eq(b.messages, CHANNEL_STRIKES - 1);
	teardown(&b);
}

Test(channel, a_datagram_too_long_is_a_strike)
{
	static char big[MSG_SIZE_MAX + 1];
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	memset(big, ' ', sizeof big);
	memcpy(big, READY, strlen(READY));
	for (unsigned i = 0; i < CHANNEL_STRIKES; i++) {
		cr_assert_gt(send(b.peer, big, sizeof big, 0), 0);
		settle(&b);
	}
	cr_assert_eq(b.messages, 0);
	cr_assert_eq(b.err, -EBADMSG);
	teardown(&b);
}

Test(channel, a_flood_closes_it)
{
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	for (unsigned i = 0; i <= CHANNEL_FLOOD && b.closed == 0; i++) {
		(void)send(b.peer, READY, strlen(READY), 0);
		ev_run(b.loop, EVRUN_NOWAIT);
	}
	cr_assert_eq(b.closed, 1);
	cr_assert_eq(b.err, -EBADMSG);
	cr_assert_leq(b.messages, CHANNEL_FLOOD);
	teardown(&b);
}

Test(channel, as_many_messages_in_two_windows_are_no_flood)
{
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	for (unsigned i = 0; i < 2 * CHANNEL_FLOOD; i++) {
		if (i == CHANNEL_FLOOD)
			clock_ns += SECOND_NS;
		say(&b, READY);
		ev_run(b.loop, EVRUN_NOWAIT);
	}
	settle(&b);
	cr_assert_eq(b.closed, 0);
	cr_assert_eq(b.messages, 2 * CHANNEL_FLOOD);
	teardown(&b);
}

static void on_timeout(struct ev_loop *loop, ev_timer *t, int revents)
{
	(void)t, (void)revents;
	ev_break(loop, EVBREAK_ALL);
}

/* The peer always has a message there for MS of the channel's clock, which
 * goes on by the pauses at most: a busy machine pauses longer than it says. */
static void run_flooded(struct bench *b, uint64_t ms)
{
	uint64_t end = mono_ms() + ms;
	ev_timer again;

	ev_timer_init(&again, on_timeout, 0.01, 0.01);
	ev_timer_start(b->loop, &again);
	while (b->closed == 0 && mono_ms() < end) {
		while (send(b->peer, READY, strlen(READY), MSG_DONTWAIT) > 0)
			;
		ev_run(b->loop, 0);
		clock_ns += 10 * MS;
	}
	ev_timer_stop(b->loop, &again);
}

Test(channel, costly_messages_wait_and_do_not_take_the_processor)
{
	const uint64_t percent = CHANNEL_COST_PERCENT * (SANITIZED ? 8 : 1);
	uint64_t began = mono_ms(), most;
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	b.burn_ms = 5;
	run_flooded(&b, 1500);
	cr_assert_eq(b.closed, 0);
	most = CHANNEL_COST_SAVED_MS + (mono_ms() - began) * percent / 100;
	cr_assert_leq(b.messages, 2 + most / b.burn_ms);
	cr_assert_geq(b.messages, CHANNEL_COST_SAVED_MS / b.burn_ms);
	teardown(&b);
}

Test(channel, costly_messages_that_do_not_end_are_a_flood)
{
	const uint64_t most_ms = CHANNEL_COST_OWED_MS + 2000;
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	b.burn_ms = 20;
	run_flooded(&b, most_ms);
	cr_assert_eq(b.closed, 1);
	cr_assert_eq(b.err, -EBADMSG);
	cr_assert_not_null(strstr(b.why, "too much time"));
	teardown(&b);
}

Test(channel, costly_messages_wait_until_they_may_cost_more)
{
	const struct msg ask = { .type = MSG_DELIVER_LIST, .seq = 1 };
	struct bench b;

	cr_assert_not(channel_holds_back(NULL));
	setup(&b, MSG_TO_MASTER);
	say(&b, READY);
	cr_assert_not(channel_holds_back(b.channel)); /* read at once */
	b.burn_ms = CHANNEL_COST_SAVED_MS;
	settle(&b);
	cr_assert_eq(b.messages, 1);
	/* the socket has no message */
	cr_assert_not(channel_holds_back(b.channel));
	say(&b, READY);
	cr_assert(channel_holds_back(b.channel));
	b.burn_ms = 20;
	for (unsigned i = 0; i < 3; i++)
		cr_assert_eq(channel_send(b.channel, &ask, NULL, 0), 0);
	settle(&b);
	cr_assert_eq(b.messages, 2);
	say(&b, READY);
	cr_assert(channel_holds_back(b.channel));
	b.burn_ms = 0;
	while (b.messages < 3)
		ev_run(b.loop, EVRUN_ONCE);
	cr_assert_not(channel_holds_back(b.channel));
	teardown(&b);
}

Test(channel, a_reply_to_a_request_may_cost_more)
{
	const struct msg ask = { .type = MSG_DELIVER_LIST, .seq = 1 };
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	b.burn_ms = CHANNEL_COST_REPLY_MS;
	for (unsigned i = 0; i < 50; i++) {
		cr_assert_eq(channel_send(b.channel, &ask, NULL, 0), 0);
		say(&b, READY);
		settle(&b);
		cr_assert_eq(b.messages, i + 1);
	}
	teardown(&b);
}

Test(channel, a_flood_of_the_master_is_allowed)
{
	struct bench b;

	setup(&b, MSG_TO_WORKER);
	for (unsigned i = 0; i < CHANNEL_FLOOD * 2; i++) {
		say(&b, "{\"type\":\"deliver.unlisten\",\"body\":"
			"{\"address\":\"x:1\",\"slot\":0}}");
		ev_run(b.loop, EVRUN_NOWAIT);
	}
	settle(&b);
	cr_assert_eq(b.closed, 0);
	cr_assert_eq(b.messages, CHANNEL_FLOOD * 2);
	teardown(&b);
}

Test(channel, closes_descriptors_without_an_owner)
{
	struct bench b;
	unsigned before;

	setup(&b, MSG_TO_WORKER);
	before = count_fds();
	say_with_fds(&b, LISTEN, 0, 1);
	settle(&b);
	cr_assert_eq(b.messages, 1);
	cr_assert_eq(count_fds(), before);

	b.keep = true;
	say_with_fds(&b, LISTEN, 0, 1);
	settle(&b);
	cr_assert_eq(b.messages, 2);
	cr_assert_eq(count_fds(), before + 1);
	cr_assert_eq(fcntl(b.kept_fd, F_GETFD), FD_CLOEXEC);
	teardown(&b);
}

Test(channel, a_wrong_number_of_descriptors_is_a_strike)
{
	struct bench b;
	unsigned before;

	setup(&b, MSG_TO_WORKER);
	before = count_fds();
	say(&b, LISTEN);
	say_with_fds(&b, LISTEN, 0, 2);
	settle(&b);
	cr_assert_eq(b.closed, 0);
	/* more than any message may have: the kernel cuts them off */
	say_with_fds(&b, LISTEN, 0, MSG_FDS_MAX + 4);
	settle(&b);
	cr_assert_eq(b.messages, 0);
	cr_assert_eq(b.err, -EBADMSG);
	cr_assert_eq(count_fds(), before);
	teardown(&b);
}

Test(channel, may_be_freed_inside_its_own_callbacks)
{
	struct bench b;

	setup(&b, MSG_TO_WORKER);
	b.free_in_it = true;
	say_with_fds(&b, LISTEN, 0, 1);
	say(&b, LISTEN);
	settle(&b);
	cr_assert_eq(b.messages, 1);
	cr_assert_null(b.channel);
	teardown(&b);

	setup(&b, MSG_TO_WORKER);
	b.free_in_it = true;
	fd_close(&b.peer);
	settle(&b);
	cr_assert_eq(b.closed, 1);
	cr_assert_null(b.channel);
	teardown(&b);
}

Test(channel, commands_wait_in_order_and_status_is_dropped)
{
	struct bench b;
	unsigned sent = 0, got = 0;
	char text[MSG_SIZE_MAX];
	int fd = 0, err;

	setup(&b, MSG_TO_MASTER);
	while ((err = channel_send(b.channel, &total, NULL, 0)) == 0)
		sent++;
	cr_assert_eq(err, -EAGAIN);
	for (unsigned i = 0; i < 100; i++)
		cr_assert_eq(channel_send(b.channel,
					  i % 2 ? &listen_there : &unlisten,
					  i % 2 ? &fd : NULL, i % 2), 0);
	cr_assert_eq(channel_send(b.channel, &total, NULL, 0), -EAGAIN);

	for (;;) {
		ssize_t n = recv(b.peer, text, sizeof text - 1, 0);

		if (n < 0 && got == sent + 100)
			break;
		if (n < 0) {
			ev_run(b.loop, EVRUN_NOWAIT);
			continue;
		}
		text[n] = '\0';
		cr_assert_not_null(strstr(text, got < sent ? "status" :
			(got - sent) % 2 ? "deliver.listen" : "unlisten"));
		got++;
	}
	teardown(&b);
}

Test(channel, a_peer_that_never_reads_commands_is_closed)
{
	struct bench b;
	int err = 0;

	setup(&b, MSG_TO_MASTER);
	for (int i = 0; i < 100000 && err == 0; i++)
		err = channel_send(b.channel, &unlisten, NULL, 0);
	cr_assert_eq(err, -EPIPE);
	cr_assert_eq(b.closed, 0, "on_close inside channel_send");
	settle(&b);
	cr_assert_eq(b.closed, 1);
	cr_assert_eq(b.err, -ENOBUFS);
	cr_assert_eq(channel_send(b.channel, &ready, NULL, 0), -EPIPE);
	teardown(&b);
}

/* Far more than the queue holds, to a peer that reads. */
Test(channel, a_sender_that_waits_for_on_drained_can_send_any_amount)
{
	enum { MANY = 20000 };
	char text[MSG_SIZE_MAX];
	unsigned got = 0;
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	b.n_more = MANY;
	send_more(&b);
	cr_assert_gt(b.n_more, 0);
	cr_assert_not(channel_is_idle(b.channel));
	while (got < MANY) {
		if (recv(b.peer, text, sizeof text, MSG_DONTWAIT) > 0)
			got++;
		else
			ev_run(b.loop, EVRUN_ONCE);
	}
	settle(&b);
	cr_assert_gt(b.drained, 0);
	cr_assert_eq(b.closed, 0);
	cr_assert_eq(recv(b.peer, text, sizeof text, MSG_DONTWAIT), -1);
	teardown(&b);
}

Test(channel, may_be_freed_when_it_has_drained)
{
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	b.n_more = 20000;
	send_more(&b);
	b.n_more = 0;
	b.free_in_it = true;
	while (b.channel != NULL) {
		char text[MSG_SIZE_MAX];

		while (recv(b.peer, text, sizeof text, MSG_DONTWAIT) > 0)
			continue;
		ev_run(b.loop, EVRUN_ONCE);
		cr_assert_eq(b.closed, 0);
	}
	teardown(&b);
}

Test(channel, sending_to_a_dead_peer_is_an_error_and_then_a_close)
{
	struct bench b;

	setup(&b, MSG_TO_MASTER);
	fd_close(&b.peer);
	cr_assert_eq(channel_send(b.channel, &unlisten, NULL, 0), -EPIPE);
	cr_assert_eq(b.closed, 0);
	settle(&b);
	cr_assert_eq(b.closed, 1);
	cr_assert_eq(b.err, 0);
	teardown(&b);
}

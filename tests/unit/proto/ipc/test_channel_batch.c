/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages that a worker has before its loop handles anything else. */
#include "proto/ipc/channel.h"

#include "common/base/fd.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <string.h>
#include <sys/socket.h>

enum { BATCH = 4 };

static const char message[] =
	"{\"type\":\"deliver.settle\",\"body\":{\"retire\":false}}";

struct bench {
	struct ev_loop *loop;
	struct channel *channel;
	int master;
	unsigned messages;
	unsigned before;  /* messages before the event of the client */
	bool free_in_it;  /* the channel, inside its event */
	bool fill_in_it;  /* its queue, more than it holds */
	int closed;       /* error of the close */
};

static void on_message(struct channel *c, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct bench *b = arg;

	const struct msg ready = { .type = MSG_WORKER_READY };

	(void)m, (void)fds, (void)n_fds;
	b->messages++;
	if (b->free_in_it)
		channel_free(&b->channel);
	while (b->fill_in_it && channel_send(c, &ready, NULL, 0) == 0)
		;
}

static void on_close(struct channel *c, int err, const char *error, void *arg)
{
	struct bench *b = arg;

	(void)c;
	cr_assert(b->fill_in_it, "%s", error);
	b->closed = err;
}

static const struct channel_events events = { on_message, on_close, NULL };

static void setup(struct bench *b)
{
	int fds[2];

	*b = (struct bench){ .loop = ev_loop_new(0) };
	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	b->master = fds[1];
	b->channel = channel_new(&(struct channel_config){
		.loop = b->loop, .fd = fds[0], .receives = MSG_TO_WORKER,
		.batch = BATCH, .events = &events, .arg = b });
}

static void teardown(struct bench *b)
{
	channel_free(&b->channel);
	fd_close(&b->master);
	ev_loop_destroy(b->loop);
}

static void say(struct bench *b, unsigned n)
{
	while (n-- > 0)
		cr_assert_gt(send(b->master, message, strlen(message), 0), 0);
}

static void on_client(struct ev_loop *loop, ev_io *io, int revents)
{
	struct bench *b = io->data;

	(void)revents;
	b->before = b->messages;
	ev_io_stop(loop, io);
}

/* The descriptor of the client is older than the channel, or newer: without a
 * priority the loop handles one of the two first. */
Test(channel_batch, comes_before_the_clients_of_the_worker)
{
	for (int newer = 0; newer <= 1; newer++) {
		struct bench b;
		ev_io client;
		int fds[2][2];

		cr_assert_eq(fd_seqpacket_pair(fds[0]), 0);
		setup(&b);
		cr_assert_eq(fd_seqpacket_pair(fds[1]), 0);
		ev_io_init(&client, on_client, fds[newer][0], EV_READ);
		client.data = &b;
		ev_io_start(b.loop, &client);
		say(&b, BATCH + 1);
		cr_assert_eq(send(fds[newer][1], "x", 1, 0), 1);
		ev_run(b.loop, EVRUN_NOWAIT);
		cr_assert_eq(b.before, BATCH, "%u", b.before);
		ev_run(b.loop, EVRUN_NOWAIT);
		cr_assert_eq(b.messages, BATCH + 1);
		for (int i = 0; i < 4; i++)
			fd_close(&fds[i / 2][i % 2]);
		teardown(&b);
	}
}

Test(channel_batch, ends_when_its_channel_is_freed)
{
	struct bench b;

	setup(&b);
	say(&b, 2);
	b.free_in_it = true;
	ev_run(b.loop, EVRUN_NOWAIT);
	cr_assert_eq(b.messages, 1);
	cr_assert_null(b.channel);
	teardown(&b);
}

Test(channel_batch, ends_when_its_channel_fails)
{
	struct bench b;

	setup(&b);
	say(&b, 2);
	b.fill_in_it = true;
	ev_run(b.loop, EVRUN_NOWAIT);
	ev_run(b.loop, EVRUN_NOWAIT);
	cr_assert_eq(b.messages, 1, "%u", b.messages);
	cr_assert_eq(b.closed, -ENOBUFS, "%d", b.closed);
	teardown(&b);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Viewers with TLS. */
#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"
#include "common/base/util.h"
#include "proto/ipc/channel.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELLO "\x16\x03\x01"
#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

/* Replaces the tls worker: gets the sockets, without TLS. */
struct worker {
	struct channel *channel;
	unsigned clients;
	int outer;
	int inner;
};

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct worker *w = arg;

	(void)channel;
	cr_assert_eq(m->type, MSG_TLS_SERVE);
	cr_assert_eq(n_fds, 2);
	fd_close(&w->outer);
	fd_close(&w->inner);
	w->outer = fds[0];
	w->inner = fds[1];
	fds[0] = fds[1] = -1;
	w->clients++;
}

static void on_close(struct channel *channel, int err, const char *why,
		     void *arg)
{
	struct worker *w = arg;

	(void)channel, (void)err, (void)why;
	channel_free(&w->channel);
}

static const struct channel_events events = {
	.on_message = on_message,
	.on_close = on_close,
};

static void link_worker(struct rig *r, struct worker *w)
{
	int fds[2];

	*w = (struct worker){ .outer = -1, .inner = -1 };
	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	deliver_set_tls(r->deliver, fds[0]);
	w->channel = channel_new(&(struct channel_config){
		.loop = r->loop,
		.fd = fds[1],
		.receives = MSG_TO_WORKER,
		.events = &events,
		.arg = w,
	});
}

static void worker_done(struct worker *w)
{
	channel_free(&w->channel);
	fd_close(&w->outer);
	fd_close(&w->inner);
}

/* The ring of /a at /s, too, for TLS only. */
static void mount_secure(struct rig *r)
{
	struct msg_deliver_mount name = {
		.address = RIG_ADDRESS, .path = "/s", .stream = "a001",
		.tls = true
	};

	rig_mount(r, &name);
}

static bool has_client(void *arg)
{
	return ((struct worker *)arg)->inner >= 0;
}

/* A client that sent its hello; its plaintext. */
static int come(struct rig *r, struct worker *w, int *ret_client)
{
	int plain;

	*ret_client = rig_request(r, HELLO);
	rig_until(r, has_client, w);
	plain = w->inner;
	w->inner = -1;
	return plain;
}

static void expect_status(struct rig *r, int fd, const char *status)
{
	char head[1024];

	rig_read_head(r, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, status), "%s", head);
}

static void say(int fd, const char *text)
{
	cr_assert_eq(send(fd, text, strlen(text), MSG_NOSIGNAL),
		     (ssize_t)strlen(text));
}

Test(deliver_tls, feeds_a_viewer_through_its_plaintext, .timeout = 90)
{
	struct msg_deliver_sessions sessions;
	struct worker w;
	uint64_t pos = 0;
	char bytes[8];
	int client, plain;
	struct rig r;

	rig_init(&r, 40 * RING_UNIT);
	mount_secure(&r);
	link_worker(&r, &w);
	rig_mark(&r);
	rig_write(&r, 100);
	plain = come(&r, &w, &client);
	/* not a byte of the handshake was taken */
	cr_assert_eq(recv(w.outer, bytes, sizeof bytes, MSG_DONTWAIT), 3);
	say(plain, GET("/s"));
	expect_status(&r, plain, " 200 ");
	rig_read_packets(&r, plain, &pos, 100);
	rig_write(&r, 1000);
	rig_read_packets(&r, plain, &pos, 1000);
	rig_await_viewers(&r, 1);
	deliver_list(r.deliver, 0, &sessions);
	cr_assert_eq(sessions.n, 1);
	cr_assert_str_eq(sessions.list[0].peer, "127.0.0.1");
	fd_close(&plain);
	rig_await_viewers(&r, 0);
	fd_close(&client);
	worker_done(&w);
	rig_done(&r);
}

Test(deliver_tls, a_path_is_either_for_tls_or_not, .timeout = 90)
{
	struct worker w;
	int client, plain, fd;
	struct rig r;

	rig_init(&r, 1);
	mount_secure(&r);
	link_worker(&r, &w);
	rig_mark(&r);
	rig_write(&r, 10);
	plain = come(&r, &w, &client);
	say(plain, GET("/a"));
	expect_status(&r, plain, " 302 ");
	fd_close(&plain);
	fd_close(&client);
	fd = rig_request(&r, GET("/s"));
	expect_status(&r, fd, " 302 ");
	fd_close(&fd);
	fd = rig_request(&r, GET("/a"));
	expect_status(&r, fd, " 200 ");
	fd_close(&fd);
	cr_assert_eq(w.clients, 1);
	worker_done(&w);
	rig_done(&r);
}

Test(deliver_tls, tls_without_a_worker_is_no_request,
     .timeout = 90)
{
	struct worker w;
	int fd;
	struct rig r;

	rig_init(&r, 1);
	mount_secure(&r);
	rig_mark(&r);
	rig_write(&r, 10);
	for (unsigned i = 0; i < 2; i++) {
		fd = rig_request(&r, HELLO "\r\n\r\n");
		expect_status(&r, fd, " 400 ");
		fd_close(&fd);
		fd = rig_request(&r, GET("/a"));
		expect_status(&r, fd, " 200 ");
		fd_close(&fd);
		/* and after one has connected and left */
		link_worker(&r, &w);
		channel_free(&w.channel);
	}
	rig_done(&r);
}

/* A stalled viewer is disconnected.  Its queued bytes are right even if they
 * are read long after the writer reused the pages. */
Test(deliver_tls, queued_bytes_never_change, .timeout = 90)
{
	struct worker w;
	uint64_t pos = 0;
	int client, plain, end;
	struct rig r;

	rig_init(&r, 1);
	mount_secure(&r);
	link_worker(&r, &w);
	rig_mark(&r);
	rig_write(&r, 10);
	plain = come(&r, &w, &client);
	say(plain, GET("/s"));
	expect_status(&r, plain, " 200 ");
	rig_await_viewers(&r, 1);
	for (unsigned i = 0; deliver_status(r.deliver).cut == 0; i++) {
		cr_assert_lt(i, 5000, "no viewer was disconnected");
		rig_write(&r, 100);
		rig_turn(&r, RIG_TICK_MS);
	}
	/* several times round the ring */
	for (unsigned i = 0; i < 1000; i++)
		rig_write(&r, 100);
	end = rig_read_to_end(&r, plain, &pos);
	cr_assert_eq(end, 0, "%d", end);
	cr_assert_gt(pos, 100 * RING_PACKET);
	fd_close(&plain);
	fd_close(&client);
	worker_done(&w);
	rig_done(&r);
}

/* Many viewers share the copy of a pass. */
Test(deliver_tls, a_shared_copy_never_changes, .timeout = 90)
{
	enum { VIEWERS = 6 };
	int clients[VIEWERS], plain[VIEWERS];
	struct worker w;
	struct rig r;

	rig_init(&r, 1);
	mount_secure(&r);
	link_worker(&r, &w);
	rig_mark(&r);
	rig_write(&r, 10);
	for (unsigned i = 0; i < VIEWERS; i++) {
		plain[i] = come(&r, &w, &clients[i]);
		say(plain[i], GET("/s"));
		expect_status(&r, plain[i], " 200 ");
	}
	rig_await_viewers(&r, VIEWERS);
	for (unsigned i = 0; deliver_status(r.deliver).cut < VIEWERS; i++) {
		cr_assert_lt(i, 5000, "not all viewers were disconnected");
		rig_write(&r, 100);
		rig_turn(&r, RIG_TICK_MS);
	}
	/* several times round the ring */
	for (unsigned i = 0; i < 1000; i++)
		rig_write(&r, 100);
	for (unsigned i = 0; i < VIEWERS; i++) {
		uint64_t pos = 0;

		cr_assert_eq(rig_read_to_end(&r, plain[i], &pos), 0);
		cr_assert_gt(pos, 100 * RING_PACKET);
		fd_close(&plain[i]);
		fd_close(&clients[i]);
	}
	worker_done(&w);
	rig_done(&r);
}

/* As after a restart of the tls worker, which reads them later. */
Test(deliver_tls, many_clients_that_come_at_once_wait)
{
	enum { CLIENTS = 600, FILES = 8192 };
	static int clients[CLIENTS];
	struct rlimit files;
	struct rig r;
	int link[2];

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	if (files.rlim_max < FILES)
		cr_skip("%d descriptors are needed", FILES);
	files.rlim_cur = FILES;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	rig_init(&r, 1);
	mount_secure(&r);
	cr_assert_eq(fd_seqpacket_pair(link), 0);
	deliver_set_tls(r.deliver, link[0]);
	for (unsigned i = 0; i < CLIENTS; i++) {
		clients[i] = rig_request(&r, HELLO);
		if (i % 50 == 0)
			rig_turn(&r, RIG_TICK_MS);
	}
	rig_turn(&r, RIG_TICK_MS);
	for (unsigned i = 0; i < CLIENTS; i++) {
		char byte;

		cr_assert_eq(recv(clients[i], &byte, 1, MSG_DONTWAIT), -1,
			     "%u", i);
		cr_assert_eq(errno, EAGAIN, "%u: %s", i, strerror(errno));
		(void)close(clients[i]);
	}
	(void)close(link[1]);
	rig_done(&r);
}

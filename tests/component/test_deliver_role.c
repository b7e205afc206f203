/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real worker in the role `deliver`, driven over its channel. */
#include "common/base/fd.h"
#include "common/base/mono.h"
#include "common/base/ring.h"
#include "tests/component/worker_rig.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define ADDRESS "127.0.0.1:8100"

enum { PATIENCE_MS = 30000 };

static const struct msg_deliver_mount name = {
	.address = ADDRESS, .path = "/a", .stream = "a001"
};

struct master {
	struct worker_rig rig;
	struct msg_deliver_status status;
	struct msg_deliver_viewers viewers; /* the strings are freed */
	bool right_name;
};

static void hear(const struct msg *m, void *arg)
{
	struct master *master = arg;

	if (m->type == MSG_DELIVER_STATUS)
		master->status = m->deliver_status;
	if (m->type == MSG_DELIVER_VIEWERS) {
		const struct msg_deliver_viewers *v = &m->deliver_viewers;

		master->viewers = *v;
		master->right_name = strcmp(v->address, name.address) == 0 &&
				     strcmp(v->path, name.path) == 0 &&
				     strcmp(v->stream, name.stream) == 0;
	}
}

static void master_init(struct master *m)
{
	*m = (struct master){ 0 };
	worker_rig_init(&m->rig, "sluice-worker", "deliver", hear, m);
	/* everybody may watch */
	cr_assert_eq(channel_send(m->rig.channel,
				  &(struct msg){ .type = MSG_DELIVER_POLICY },
				  NULL, 0), 0);
}

static uint16_t give_listener(struct master *m)
{
	struct msg listen_there = { .type = MSG_DELIVER_LISTEN,
				    .deliver_listen = { ADDRESS, 0, false } };
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof in;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(bind(fd, (struct sockaddr *)&in, len), 0);
	cr_assert_eq(listen(fd, 16), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	cr_assert_eq(channel_send(m->rig.channel, &listen_there, &fd, 1), 0);
	fd_close(&fd);
	return ntohs(in.sin_port);
}

static void say_mount(struct master *m, enum msg_type type, int ring_fd)
{
	struct msg words = { .type = type };
	int fd = ring_fd < 0 ? -1 : fd_reopen_readonly(ring_fd);

	if (type == MSG_DELIVER_MOUNT)
		words.deliver_mount = name;
	else
		words.deliver_unmount = name;
	cr_assert_eq(channel_send(m->rig.channel, &words, &fd, fd >= 0), 0);
	fd_close(&fd);
}

static int ask(uint16_t port)
{
	static const char request[] = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
	struct timeval patience = { .tv_sec = PATIENCE_MS / 1000 };
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
				sizeof patience),
		     0);
	cr_assert_eq(connect(fd, (struct sockaddr *)&in, sizeof in), 0);
	cr_assert_eq(send(fd, request, sizeof request - 1, 0),
		     (ssize_t)sizeof request - 1);
	return fd;
}

/* Reads the head and returns its status. */
static unsigned read_status(int fd)
{
	char head[1024] = "";
	size_t len = 0;
	unsigned status = 0;

	while (strstr(head, "\r\n\r\n") == NULL) {
		cr_assert_lt(len, sizeof head - 1);
		cr_assert_eq(recv(fd, head + len, 1, 0), 1);
		head[++len] = '\0';
	}
	cr_assert_eq(sscanf(head, "HTTP/1.1 %u ", &status), 1);
	return status;
}

static void write_packets(struct ring_writer *w, size_t n)
{
	ring_mark(w, &(struct ring_rap){ .pos = ring_writer_pos(w) });
	while (n-- > 0) {
		size_t room;
		uint8_t *packet = ring_room(w, &room);

		memset(packet, 0xff, RING_PACKET);
		packet[0] = 0x47;
		ring_commit(w, 1);
	}
	ring_publish(w);
}

Test(deliver_role, serves_the_mounts_of_the_master_until_the_channel_closes,
     .timeout = 90)
{
	enum { PACKETS = 100 };
	static uint8_t body[PACKETS * RING_PACKET];
	struct master m;
	int ring_fd = ring_create(1, 0), err = 0, viewer, status;
	struct ring_writer *w = ring_writer_new(ring_fd, &err);
	uint16_t port;

	master_init(&m);
	RIG_UNTIL(&m.rig, m.rig.n[MSG_WORKER_READY] == 1);
	cr_assert_eq(m.rig.first, MSG_WORKER_HELLO);

	port = give_listener(&m);
	viewer = ask(port);
	cr_assert_eq(read_status(viewer), 404);
	fd_close(&viewer);

	say_mount(&m, MSG_DELIVER_MOUNT, ring_fd);
	/* a reply shows that the mount before it was received */
	port = give_listener(&m);
	viewer = ask(port);
	cr_assert_eq(read_status(viewer), 200);
	/* packets before the mount, without later ones, would be useless to the
	 * viewer */
	write_packets(w, PACKETS);
	cr_assert_eq(recv(viewer, body, sizeof body, MSG_WAITALL),
		     (ssize_t)sizeof body);
	/* the status may precede its last bytes */
	RIG_UNTIL(&m.rig, m.viewers.bytes >= sizeof body);
	cr_assert(m.right_name);
	cr_assert_eq(m.viewers.viewers, 1);
	cr_assert_eq(m.viewers.bytes, sizeof body);
	RIG_UNTIL(&m.rig, m.status.bytes >= sizeof body);
	cr_assert_eq(m.status.viewers, 1);
	cr_assert_eq(m.status.bytes, sizeof body);

	say_mount(&m, MSG_DELIVER_UNMOUNT, -1);
	cr_assert_eq(recv(viewer, body, sizeof body, MSG_WAITALL), 0);
	fd_close(&viewer);
	RIG_UNTIL(&m.rig, m.status.viewers == 0);
	cr_assert_eq(m.status.bytes, sizeof body);

	status = worker_rig_done(&m.rig);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x",
		  (unsigned)status);
	ring_writer_free(&w);
	fd_close(&ring_fd);
}

Test(deliver_role, reports_a_status_to_the_master_once_a_second,
     .timeout = 90)
{
	struct master m;
	uint64_t began = mono_ms();

	master_init(&m);
	/* however many of them waited for us */
	RIG_UNTIL(&m.rig, m.rig.n[MSG_DELIVER_STATUS] == 4);
	cr_assert_geq(mono_ms() - began, 2900);
	began = mono_ms();
	RIG_UNTIL(&m.rig, m.rig.n[MSG_DELIVER_STATUS] == 6);
	/* twice as long, and a margin for a busy machine */
	cr_assert_lt(mono_ms() - began, 10000);
	cr_assert_eq(m.rig.n[MSG_DELIVER_VIEWERS], 0);
	(void)worker_rig_done(&m.rig);
}

/* Renews the mount; true: the worker counts its viewers in front of the next
 * second.  A second may end in between. */
static bool counts_at_once(struct master *m, int ring_fd)
{
	const struct msg renew = { .type = MSG_DELIVER_RENEW };
	const struct msg settle = { .type = MSG_DELIVER_SETTLE };
	unsigned counts, seconds = m->rig.n[MSG_DELIVER_STATUS];

	RIG_UNTIL(&m->rig, m->rig.n[MSG_DELIVER_STATUS] > seconds);
	cr_assert_eq(channel_send(m->rig.channel, &renew, NULL, 0), 0);
	(void)give_listener(m);
	say_mount(m, MSG_DELIVER_MOUNT, ring_fd);
	counts = m->rig.n[MSG_DELIVER_VIEWERS];
	seconds = m->rig.n[MSG_DELIVER_STATUS];
	cr_assert_eq(channel_send(m->rig.channel, &settle, NULL, 0), 0);
	RIG_UNTIL(&m->rig, m->rig.n[MSG_DELIVER_VIEWERS] > counts);
	return m->rig.n[MSG_DELIVER_STATUS] == seconds;
}

Test(deliver_role, counts_the_viewers_for_a_new_master_at_once, .timeout = 90)
{
	struct master m;
	int ring_fd = ring_create(1, 0), viewer;
	bool at_once = false;

	master_init(&m);
	RIG_UNTIL(&m.rig, m.rig.n[MSG_WORKER_READY] == 1);
	say_mount(&m, MSG_DELIVER_MOUNT, ring_fd);
	viewer = ask(give_listener(&m));
	cr_assert_eq(read_status(viewer), 200);
	RIG_UNTIL(&m.rig, m.viewers.viewers == 1);
	/* an idle mount is reported once */
	RIG_UNTIL(&m.rig, m.rig.n[MSG_DELIVER_STATUS] > 3);
	for (int i = 0; i < 5 && !at_once; i++)
		at_once = counts_at_once(&m, ring_fd);
	cr_expect(at_once);
	cr_expect_eq(m.viewers.viewers, 1u);
	fd_close(&viewer);
	(void)worker_rig_done(&m.rig);
	fd_close(&ring_fd);
}

Test(deliver_role, survives_an_invalid_ring, .timeout = 90)
{
	struct master m;
	int fds[2];
	struct msg words = { .type = MSG_DELIVER_MOUNT,
			     .deliver_mount = name };

	master_init(&m);
	RIG_UNTIL(&m.rig, m.rig.n[MSG_WORKER_READY] == 1);
	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(channel_send(m.rig.channel, &words, fds, 1), 0);
	RIG_UNTIL(&m.rig, m.rig.n[MSG_WORKER_LOG] == 1);
	cr_assert_not_null(strstr(m.rig.log, "127.0.0.1:8100/a"), "%s",
			   m.rig.log);
	RIG_UNTIL(&m.rig, m.rig.n[MSG_DELIVER_STATUS] >= 2);
	(void)worker_rig_done(&m.rig);
}

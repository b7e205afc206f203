/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/worker/deliver/rig.h"

#include "common/base/fd.h"
#include "common/base/mono.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void on_pulse(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)timer, (void)revents;
}

int rig_listener(uint16_t *ret_port)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof in;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_geq(fd, 0);
	cr_assert_eq(bind(fd, (struct sockaddr *)&in, len), 0);
	cr_assert_eq(listen(fd, 4096), 0);
	cr_assert_eq(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	*ret_port = ntohs(in.sin_port);
	return fd;
}

struct msg_deliver_mount rig_name(const char *path, const char *stream)
{
	return (struct msg_deliver_mount){
		.address = RIG_ADDRESS,
		.path = path,
		.stream = stream,
		.number = msg_mount_number(RIG_ADDRESS, path),
	};
}

void rig_init_with(struct rig *r, size_t ring_size,
		   const struct deliver_config *wanted)
{
	struct deliver_config cfg = *wanted;
	struct msg_deliver_mount name = rig_name("/a", "a001");
	int err = 0;

	(void)signal(SIGPIPE, SIG_IGN);
	*r = (struct rig){ .loop = ev_loop_new(EVFLAG_NOENV) };
	ev_timer_init(&r->pulse, on_pulse, 0.002, 0.002);
	ev_timer_start(r->loop, &r->pulse);
	cfg.loop = r->loop;
	cfg.tick_ms = RIG_TICK_MS;
	cfg.head_ms = cfg.head_ms ? cfg.head_ms : RIG_NEVER_MS;
	cfg.start_ms = cfg.start_ms ? cfg.start_ms : RIG_NEVER_MS;
	cfg.still_ms = cfg.still_ms ? cfg.still_ms : RIG_NEVER_MS;
	r->deliver = deliver_new(&cfg);
	deliver_set_policy(r->deliver, &(struct msg_deliver_policy){ 0 });
	deliver_listen(r->deliver,
		       &(struct msg_deliver_listen){ RIG_ADDRESS, 0, true },
		       rig_listener(&r->port));

	r->ring_fd = ring_create(ring_size, RING_GROWN);
	r->writer = ring_writer_new(r->ring_fd, &err);
	cr_assert_not_null(r->writer, "%d", err);
	rig_mount(r, &name);
}

void rig_mount(struct rig *r, const struct msg_deliver_mount *name)
{
	cr_assert_eq(deliver_mount(r->deliver, name,
				   fd_reopen_readonly(r->ring_fd)), 0);
}

void rig_init(struct rig *r, size_t ring_size)
{
	rig_init_with(r, ring_size, &(struct deliver_config){ 0 });
}

void rig_unlisten(struct rig *r)
{
	deliver_unlisten(r->deliver, &(struct msg_deliver_unlisten){
		RIG_ADDRESS, 0 });
}

void rig_remount(struct rig *r)
{
	struct msg_deliver_mount name = rig_name("/a", "a001");

	deliver_unmount(r->deliver, &name);
	rig_mount(r, &name);
}

void rig_done(struct rig *r)
{
	deliver_free(&r->deliver);
	ring_writer_free(&r->writer);
	fd_close(&r->ring_fd);
	ev_timer_stop(r->loop, &r->pulse);
	ev_loop_destroy(r->loop);
}

static void fill(uint8_t *packet, uint64_t pos)
{
	memset(packet, (int)(pos / RING_PACKET & 0xff), RING_PACKET);
	packet[0] = 0x47;
	memcpy(packet + 4, &pos, sizeof pos);
}

void rig_write(struct rig *r, size_t n_packets)
{
	for (size_t i = 0; i < n_packets; i++) {
		size_t room;

		fill(ring_room(r->writer, &room), ring_writer_pos(r->writer));
		ring_commit(r->writer, 1);
	}
	ring_publish(r->writer);
}

void rig_mark(struct rig *r)
{
	ring_mark(r->writer,
		  &(struct ring_rap){ .pos = ring_writer_pos(r->writer) });
}

static void on_ticked(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)revents;
	ev_timer_stop(loop, timer);
}

/* Until the end of a tick that starts after this call. */
static void await_tick(struct rig *r)
{
	ev_timer ticked;

	ev_now_update(r->loop);
	ev_timer_init(&ticked, on_ticked, RIG_TICK_MS / 1e3, 0.);
	ev_timer_start(r->loop, &ticked);
	while (ev_is_active(&ticked))
		ev_run(r->loop, EVRUN_ONCE);
}

void rig_turn(struct rig *r, unsigned ms)
{
	uint64_t end = mono_ms() + ms;

	do {
		ev_run(r->loop, EVRUN_ONCE);
	} while (mono_ms() < end);
	await_tick(r);
}

void rig_until(struct rig *r, bool (*done)(void *arg), void *arg)
{
	uint64_t end = mono_ms() + RIG_PATIENCE_MS;

	while (!done(arg)) {
		cr_assert_lt(mono_ms(), end, "waited too long");
		ev_run(r->loop, EVRUN_ONCE);
	}
}

int rig_connect(struct rig *r)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(r->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_geq(fd, 0);
	cr_assert_eq(connect(fd, (struct sockaddr *)&in, sizeof in), 0);
	cr_assert_eq(fd_set_nonblock(fd), 0);
	return fd;
}

int rig_request(struct rig *r, const char *text)
{
	int fd = rig_connect(r);

	cr_assert_eq(send(fd, text, strlen(text), 0), (ssize_t)strlen(text));
	return fd;
}

int rig_join(struct rig *r)
{
	char head[1024];
	int fd = rig_request(r, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");

	rig_read_head(r, fd, head, sizeof head);
	cr_assert_not_null(strstr(head, " 200 "), "%s", head);
	return fd;
}

struct want {
	int fd;
	uint8_t *data;
	size_t len;
	size_t got;
	int end; /* 1: orderly, else -errno */
};

static bool has_all(void *arg)
{
	struct want *w = arg;

	while (w->got < w->len && w->end == 0) {
		ssize_t n = recv(w->fd, w->data + w->got, w->len - w->got, 0);

		if (n < 0 && errno == EAGAIN)
			return false;
		if (n > 0)
			w->got += (size_t)n;
		else
			w->end = n == 0 ? 1 : -errno;
	}
	return true;
}

void rig_read(struct rig *r, int fd, void *data, size_t len)
{
	struct want w = { .fd = fd, .data = data, .len = len };

	rig_until(r, has_all, &w);
	cr_assert_eq(w.got, len, "ended early: %d", w.end);
}

void rig_read_head(struct rig *r, int fd, char *text, size_t size)
{
	size_t len = 0;

	do {
		cr_assert_lt(len, size - 1);
		rig_read(r, fd, text + len, 1);
		text[++len] = '\0';
	} while (strstr(text, "\r\n\r\n") == NULL);
}

static void check(const uint8_t *packet, uint64_t pos)
{
	uint8_t right[RING_PACKET];
	uint64_t stamp;

	fill(right, pos);
	memcpy(&stamp, packet + 4, sizeof stamp);
	cr_assert_eq(memcmp(packet, right, RING_PACKET), 0,
		     "at %llu is the packet of %llu",
		     (unsigned long long)pos, (unsigned long long)stamp);
}

void rig_expect_status(struct rig *r, int fd, unsigned status)
{
	char head[1024], line[32];

	rig_read_head(r, fd, head, sizeof head);
	(void)snprintf(line, sizeof line, "HTTP/1.1 %u ", status);
	cr_assert_eq(strncmp(head, line, strlen(line)), 0, "%s", head);
}

void rig_read_packets(struct rig *r, int fd, uint64_t *pos, size_t n)
{
	uint8_t packets[64 * RING_PACKET];

	while (n > 0) {
		size_t now = MIN(n, sizeof packets / RING_PACKET);

		rig_read(r, fd, packets, now * RING_PACKET);
		for (size_t i = 0; i < now; i++, *pos += RING_PACKET)
			check(packets + i * RING_PACKET, *pos);
		n -= now;
	}
}

int rig_read_to_end(struct rig *r, int fd, uint64_t *pos)
{
	for (;;) {
		uint8_t packet[RING_PACKET];
		struct want w = { .fd = fd,
				  .data = packet,
				  .len = sizeof packet };

		rig_until(r, has_all, &w);
		if (w.end != 0)
			return w.end == 1 ? 0 : w.end;
		check(packet, *pos);
		*pos += RING_PACKET;
	}
}

struct crowd {
	struct rig *rig;
	uint32_t n;
};

static bool is_crowd(void *arg)
{
	struct crowd *c = arg;

	return deliver_status(c->rig->deliver).viewers == c->n;
}

void rig_await_viewers(struct rig *r, uint32_t n)
{
	struct crowd c = { r, n };

	rig_until(r, is_crowd, &c);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real worker; the test is its master. */
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "common/base/sockaddr.h"
#include "common/supervise/spawn.h"
#include "proto/ipc/channel.h"
#include "proto/ipc/contract.h"
#include "proto/ipc/msg.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

enum { STRANGER_FD = 77 };

struct bench {
	struct ev_loop *loop;
	struct spawner *spawner;
	struct child *child;
	struct channel *channel;
	int fd; /* the bare end of a worker that has no channel */
	pid_t pid;

	unsigned heard[MSG_COUNT];
	enum msg_type first;
	char role[32];
	uint64_t packets; /* of the last stream.status */
	bool closed;
	bool ended;
	struct child_end end;
};

static void on_message(struct channel *channel, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct bench *b = arg;
	bool is_first = true;

	(void)channel, (void)fds, (void)n_fds;
	for (unsigned i = 0; i < MSG_COUNT; i++)
		is_first = is_first && b->heard[i] == 0;
	if (is_first)
		b->first = m->type;
	b->heard[m->type]++;
	if (m->type == MSG_WORKER_HELLO) {
		cr_assert_eq(m->worker_hello.proto, MSG_PROTO_VERSION);
		(void)snprintf(b->role, sizeof b->role, "%s",
			       m->worker_hello.role);
	}
	if (m->type == MSG_STREAM_STATUS)
		b->packets = m->stream_status.packets;
}

static void on_close(struct channel *channel, int err, const char *why,
		     void *arg)
{
	struct bench *b = arg;

	(void)channel;
	cr_assert_eq(err, 0, "the worker broke the rules: %s", why);
	b->closed = true;
}

static const struct channel_events events = { .on_message = on_message,
					      .on_close = on_close };

static void on_end(struct child *child, const struct child_end *end, void *arg)
{
	struct bench *b = arg;

	(void)child;
	b->ended = true;
	b->end = *end;
}

/* Starts the worker; with a channel, or with its bare end in b->fd. */
static void setup(struct bench *b, const char *role, bool channel)
{
	int fds[2], err = 0;

	*b = (struct bench){ .loop = ev_loop_new(0), .fd = -1,
			     .first = MSG_COUNT };
	(void)signal(SIGPIPE, SIG_IGN);
	/* descriptors that a careless parent leaves open */
	cr_assert_eq(dup2(STDERR_FILENO, STRANGER_FD), STRANGER_FD);
	b->spawner = spawner_new(b->loop, rig_built("sluice-worker"));
	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	b->child = child_start(b->spawner,
			       &(struct child_start){ .role = role,
						      .object = "a001",
						      .channel_fd = fds[1] },
			       on_end, b,
			       &err);
	cr_assert_not_null(b->child, "%s", strerror(-err));
	b->pid = child_pid(b->child);
	fd_close(&fds[1]);
	if (!channel) {
		b->fd = fds[0];
		return;
	}
	b->channel = channel_new(&(struct channel_config){
		.loop = b->loop, .fd = fds[0], .receives = MSG_TO_MASTER,
		.events = &events, .arg = b });
}

static bool has_ended(void *arg)
{
	return ((struct bench *)arg)->ended;
}

static void expect_exit(struct bench *b, int code)
{
	rig_run_until(b->loop, has_ended, b, 3000, "it ends");
	cr_assert_eq(b->end.signal, 0);
	cr_assert_eq(b->end.code, code, "exit code %d", b->end.code);
}

static void teardown(struct bench *b)
{
	channel_free(&b->channel);
	fd_close(&b->fd);
	if (!b->ended)
		expect_exit(b, EX_OK);
	child_free(&b->child);
	spawner_free(&b->spawner);
	ev_loop_destroy(b->loop);
}

struct wish {
	struct bench *bench;
	enum msg_type type;
	unsigned n;
};

static bool is_heard(void *arg)
{
	struct wish *w = arg;

	return w->bench->heard[w->type] >= w->n;
}

static void await(struct bench *b, enum msg_type type, unsigned n)
{
	struct wish w = { b, type, n };

	rig_run_until(b->loop, is_heard, &w, 5000, msg_type_name(type));
}

static bool has_read(void *arg)
{
	struct wish *w = arg;

	return w->bench->packets >= w->n;
}

/* Until the stream has read more packets than now. */
static void await_packets(struct bench *b)
{
	struct wish w = { b, MSG_STREAM_STATUS, (unsigned)b->packets + 1 };

	rig_run_until(b->loop, has_read, &w, 5000, "more packets");
}

static void start_file(struct bench *b, const char *path)
{
	char url[4096];
	struct msg m = { .type = MSG_STREAM_START, .stream_start = {
		.id = "a001", .name = "Clip", .n_inputs = 1,
		.inputs = { url } } };

	(void)snprintf(url, sizeof url, "file://%s#loop", path);
	cr_assert_eq(channel_send(b->channel, &m, NULL, 0), 0);
}

static void start_clip(struct bench *b)
{
	start_file(b, rig_source("etc/demo.ts"));
}

/* The value of a line of /proc/PID/status. */
static unsigned long long proc_status(pid_t pid, const char *key)
{
	unsigned long long value = 0;
	char path[64], line[256];
	bool found = false;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	cr_assert_not_null(f);
	while (fgets(line, sizeof line, f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			found |= sscanf(line + strlen(key), ": %llx",
					&value) == 1;
	(void)fclose(f);
	cr_assert(found, "%s", key);
	return value;
}

Test(worker, sends_hello_first_and_then_status_of_its_packets, .timeout = 90)
{
	struct bench b;

	setup(&b, "stream", true);
	await(&b, MSG_WORKER_HELLO, 1);
	cr_assert_eq(b.first, MSG_WORKER_HELLO);
	cr_assert_str_eq(b.role, "stream");
	cr_assert_eq(b.heard[MSG_WORKER_READY], 0);

	start_clip(&b);
	await(&b, MSG_WORKER_READY, 1);
	await(&b, MSG_STREAM_STATUS, 2);
	/* of the file, and further in it */
	await_packets(&b);
	await_packets(&b);
	teardown(&b);
}

Test(worker, drops_privileges_that_it_does_not_need, .timeout = 90)
{
	char path[64], name[32] = "";
	struct bench b;
	FILE *f;

	setup(&b, "stream", true);
	await(&b, MSG_WORKER_HELLO, 1);
	cr_assert_eq(proc_status(b.pid, "NoNewPrivs"), 1);
	cr_assert_eq(proc_status(b.pid, "CapAmb"), 0);
	cr_assert_eq(proc_status(b.pid, "CapInh"), 0);
	/* this one alone, when we have it to give */
	cr_assert_eq(proc_status(b.pid, "CapPrm") &
			     ~(1ULL << CAP_NET_BIND_SERVICE),
		     0);
	if (geteuid() == 0)
		cr_assert_eq(proc_status(b.pid, "CapBnd"), 0);

	(void)snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)b.pid,
		       STRANGER_FD);
	cr_assert_eq(access(path, F_OK), -1);

	(void)snprintf(path, sizeof path, "/proc/%d/comm", (int)b.pid);
	f = fopen(path, "r");
	cr_assert_not_null(f);
	cr_assert_not_null(fgets(name, sizeof name, f));
	(void)fclose(f);
	cr_assert_str_eq(name, "stream a001\n");
	cr_assert_eq(rig_find_child("sluice-worker stream a001"), b.pid);
	teardown(&b);
}

static bool set_oom(const char *value)
{
	FILE *f = fopen("/proc/self/oom_score_adj", "w");

	return f != NULL && fputs(value, f) >= 0 && fclose(f) == 0;
}

static int read_oom(pid_t pid)
{
	char path[64];
	int value = -1;
	FILE *f;

	(void)snprintf(path, sizeof path, "/proc/%d/oom_score_adj", (int)pid);
	f = fopen(path, "r");
	cr_assert_not_null(f);
	cr_assert_eq(fscanf(f, "%d", &value), 1);
	(void)fclose(f);
	return value;
}

Test(worker, is_not_protected_from_the_oom_killer_as_its_master_is,
     .timeout = 90)
{
	static const int set[] = { 300, -500 }, left[] = { 300, 0 };

	for (size_t i = 0; i < ARRAY_LEN(set); i++) {
		struct bench b;
		char value[16];

		(void)snprintf(value, sizeof value, "%d", set[i]);
		if (!set_oom(value))
			cr_skip_test("may not protect itself");
		setup(&b, "deliver", true);
		await(&b, MSG_WORKER_HELLO, 1);
		cr_assert_eq(read_oom(b.pid), left[i]);
		teardown(&b);
	}
}

Test(worker, ends_in_good_order_on_sigterm, .timeout = 90)
{
	struct bench b;

	setup(&b, "stream", true);
	start_clip(&b);
	await(&b, MSG_STREAM_STATUS, 1);
	child_signal(b.child, SIGTERM);
	expect_exit(&b, EX_OK);
	teardown(&b);
}

/* SIGTERM reaches the loop, and a sanitizer receives the faults of each thread.
 * The kernel shows SIGTERM as not blocked in the main thread while that waits
 * in sigtimedwait(). */
Test(worker, no_thread_takes_sigterm_from_the_loop, .timeout = 90)
{
	const unsigned long long faults = 1ULL << (SIGSEGV - 1) |
					  1ULL << (SIGBUS - 1) |
					  1ULL << (SIGFPE - 1) |
					  1ULL << (SIGILL - 1);
	const struct dirent *e;
	unsigned threads = 0;
	char path[64];
	struct bench b;
	DIR *d;

	setup(&b, "stream", true);
	start_clip(&b);
	/* the thread that reads the file runs */
	await_packets(&b);
	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)b.pid);
	d = opendir(path);
	cr_assert_not_null(d);
	while ((e = readdir(d)) != NULL) {
		unsigned long long blocked;

		if (e->d_name[0] == '.')
			continue;
		blocked = proc_status(atoi(e->d_name), "SigBlk");
		if (atoi(e->d_name) != (int)b.pid)
			cr_assert_neq(blocked & 1ULL << (SIGTERM - 1), 0);
		cr_assert_eq(blocked & faults, 0);
		threads++;
	}
	(void)closedir(d);
	cr_assert_gt(threads, 1);
	teardown(&b);
}

Test(worker, ends_with_its_master, .timeout = 90)
{
	struct bench b;

	setup(&b, "deliver", true);
	await(&b, MSG_DELIVER_STATUS, 1);
	channel_free(&b.channel);
	expect_exit(&b, EX_OK);
	teardown(&b);
}

Test(worker, ends_when_its_master_sends_invalid_messages, .timeout = 90)
{
	struct bench b;

	setup(&b, "stream", false);
	for (int i = 0; i < CHANNEL_STRIKES; i++)
		cr_assert_eq(send(b.fd, "nonsense", 8, 0), 8);
	expect_exit(&b, EX_PROTOCOL);
	teardown(&b);
}

Test(worker, accepts_only_its_roles_and_needs_a_channel, .timeout = 90)
{
	struct bench b;

	setup(&b, "plumber", false);
	expect_exit(&b, EX_USAGE);
	teardown(&b);
}

struct answer {
	int fd;
	int status; /* 0 until it comes */
};

static bool has_answer(void *arg)
{
	struct answer *a = arg;
	char text[512];
	ssize_t n = recv(a->fd, text, sizeof text - 1, MSG_DONTWAIT);

	if (n > 0) {
		text[n] = '\0';
		(void)sscanf(text, "HTTP/1.1 %d ", &a->status);
	}
	return a->status > 0;
}

/* One request to the listening socket; the status. */
static int request(struct bench *b, int listener, const char *path)
{
	struct sockaddr_any any = { .len = sizeof any.in6 };
	struct answer a = {
		.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
	};
	char text[512];

	cr_assert_eq(getsockname(listener, &any.sa, &any.len), 0);
	cr_assert_eq(connect(a.fd, &any.sa, any.len), 0);
	(void)snprintf(text, sizeof text,
		       "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	cr_assert_gt(send(a.fd, text, strlen(text), 0), 0);
	rig_run_until(b->loop, has_answer, &a, 5000, "an answer");
	(void)close(a.fd);
	return a.status;
}

Test(worker, deliver_serves_the_mounted_paths, .timeout = 90)
{
	struct msg where = { .type = MSG_DELIVER_LISTEN,
			     .deliver_listen = { "127.0.0.1:0" } };
	struct msg path = { .type = MSG_DELIVER_MOUNT, .deliver_mount = {
		.address = "127.0.0.1:0", .path = "/news",
		.stream = "a001" } };
	struct msg who = { .type = MSG_DELIVER_LIST, .seq = 1 };
	int ring = ring_create(RING_UNIT, 0);
	int reader = fd_reopen_readonly(ring);
	int listener = socket(AF_INET,
			      SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_any any;
	struct bench b;

	cr_assert_geq(reader, 0);
	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &any), 0);
	cr_assert_eq(bind(listener, &any.sa, any.len), 0);
	cr_assert_eq(listen(listener, 16), 0);
	setup(&b, "deliver", true);
	await(&b, MSG_WORKER_HELLO, 1);
	cr_assert_eq(channel_send(b.channel, &where, &listener, 1), 0);
	cr_assert_eq(channel_send(b.channel, &path, &reader, 1), 0);
	await(&b, MSG_WORKER_READY, 1);
	cr_assert_eq(request(&b, listener, "/nothing"), 404);
	path.type = MSG_DELIVER_UNMOUNT;
	cr_assert_eq(channel_send(b.channel, &path, NULL, 0), 0);
	/* a reply shows that the messages before the request were received */
	cr_assert_eq(channel_send(b.channel, &who, NULL, 0), 0);
	await(&b, MSG_DELIVER_SESSIONS, 1);
	cr_assert_eq(request(&b, listener, "/news"), 404);
	teardown(&b);
	fd_close(&ring);
	fd_close(&reader);
	fd_close(&listener);
}

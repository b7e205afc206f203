/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master's side of deliver with the real worker behind it. */
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "common/base/sockaddr.h"
#include "master/config/config.h"
#include "master/streams/deliver_proc.h"
#include "master/viewers/viewers.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	MANY = 5000,  /* more than the channel's queue holds */
	FILES = 6000, /* each costs the worker a descriptor */
};

struct bench {
	struct service_rig rig;
	struct deliver_proc *deliver;
	struct config *config; /* empty: everybody may watch */
	struct viewers *viewers;
	int ring_fd;
	struct mount *mounts[MANY];
	struct sockaddr_any port;

	int viewer; /* -1: not connected */
	char answer[256];
};

static void setup_with(struct bench *b, const char *worker)
{
	struct service_config config;
	struct errmsg error;

	*b = (struct bench){ .viewer = -1 };
	cr_assert_eq(sockaddr_parse(rig_host(), 8000, &b->port), 0);
	b->ring_fd = ring_create(RING_UNIT, 0);
	cr_assert_geq(b->ring_fd, 0);
	service_rig_init(&b->rig, worker);
	config = service_rig_config(&b->rig);
	b->deliver = deliver_proc_new(&config, NULL);
	b->config = config_open(NULL, b->rig.loop, &error);
	b->viewers = viewers_new(&(struct viewers_config){
		.loop = b->rig.loop, .config = b->config,
	});
	deliver_proc_set_viewers(b->deliver, b->viewers);
}

static void setup(struct bench *b)
{
	setup_with(b, "sluice-worker");
}

static void teardown(struct bench *b)
{
	service_rig_stop(&b->rig, deliver_proc_service(b->deliver));
	for (size_t i = 0; i < MANY; i++)
		mount_free(&b->mounts[i]);
	deliver_proc_set_viewers(b->deliver, NULL);
	viewers_free(&b->viewers);
	config_close(&b->config);
	deliver_proc_free(&b->deliver);
	fd_close(&b->viewer);
	fd_close(&b->ring_fd);
	service_rig_done(&b->rig);
}

static void mount_many(struct bench *b)
{
	for (size_t i = 0; i < MANY; i++) {
		char path[32];

		(void)snprintf(path, sizeof path, "/%zu", i);
		b->mounts[i] = mount_new(b->deliver, &(struct mount_config){
			.listen = &b->port,
			.path = path,
			.stream = "a001",
			.ring_fd = b->ring_fd,
		});
	}
}

/* Asks for the last path; true when the head of an answer is there. */
static bool has_answer(void *arg)
{
	struct bench *b = arg;
	char request[64];
	ssize_t n;

	if (b->viewer < 0) {
		b->viewer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		cr_assert_eq(connect(b->viewer, &b->port.sa, b->port.len), 0);
		n = snprintf(request, sizeof request,
			     "GET /%d HTTP/1.0\r\n\r\n", MANY - 1);
		cr_assert_eq(send(b->viewer, request, (size_t)n, 0), n);
	}
	n = recv(b->viewer, b->answer, sizeof b->answer - 1, MSG_DONTWAIT);
	return n > 0;
}

static void watch(struct bench *b)
{
	memset(b->answer, 0, sizeof b->answer);
	fd_close(&b->viewer);
	rig_run_until(b->rig.loop, has_answer, b, 10000, "an answer");
	cr_assert_eq(strncmp(b->answer, "HTTP/1.", 7), 0);
	cr_assert_not_null(strstr(b->answer, " 200 "), "%s", b->answer);
}

static void need_files(void)
{
	struct rlimit files;

	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	if (files.rlim_max < FILES)
		cr_skip_test("needs %d descriptors", FILES);
	files.rlim_cur = files.rlim_max;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
}

/* Meanwhile a viewer in the backlog finds the last path too. */
Test(deliver_proc, more_mounts_than_the_channel_holds_are_all_served,
     .timeout = 90)
{
	static struct bench b;
	pid_t pid;

	need_files();
	setup(&b);
	mount_many(&b);
	watch(&b);

	pid = rig_find_child("sluice-worker deliver 1");
	cr_assert_eq(kill(pid, SIGKILL), 0);
	watch(&b);
	cr_assert_eq(rig_count_log("channel"), 0, "%s", rig_log());
	cr_assert_eq(rig_count_log("killed by signal"), 1, "%s", rig_log());
	teardown(&b);
}

/* A client that waits for the worker costs it no descriptor. */
Test(deliver_proc, queued_messages_hold_no_descriptors, .timeout = 90)
{
	struct rlimit few;
	static struct bench b;
	pid_t pid;

	need_files();
	setup(&b);
	mount_many(&b);
	watch(&b);
	pid = rig_find_child("sluice-worker deliver 1");
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &few), 0);
	few.rlim_cur = 64;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	/* stopped it reads nothing, while each mount is repeated */
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	for (size_t i = 0; i < 500; i++)
		mount_free(&b.mounts[i]);
	for (size_t i = 0; i < 500; i++) {
		char path[32];

		(void)snprintf(path, sizeof path, "/%zu", i);
		b.mounts[i] = mount_new(b.deliver, &(struct mount_config){
			.listen = &b.port,
			.path = path,
			.stream = "a001",
			.ring_fd = b.ring_fd,
		});
	}
	rig_run_for(b.rig.loop, 100);
	cr_assert_eq(kill(pid, SIGCONT), 0);
	watch(&b);
	cr_assert_eq(rig_find_child("sluice-worker deliver 1"), pid);
	teardown(&b);
}

static void hear_list(const json_t *sessions, void *arg)
{
	(void)sessions;
	*(bool *)arg = true;
}

static bool is_heard(void *arg)
{
	return *(bool *)arg;
}

static bool is_running(void *arg)
{
	return service_proc_is_running(
		deliver_proc_service(((struct bench *)arg)->deliver));
}

/* The list of a worker that an attacker controls ends the worker, not the
 * master. */
Test(deliver_proc, ends_a_worker_whose_list_has_no_end, .timeout = 90)
{
	static struct bench b;
	bool heard = false;

	setup_with(&b, "tests/component/fake_worker");
	b.mounts[0] = mount_new(b.deliver, &(struct mount_config){
		.listen = &b.port,
		.path = "/a",
		.stream = "a001",
		.ring_fd = b.ring_fd,
	});
	rig_run_until(b.rig.loop, is_running, &b, 10000, "the worker");
	(void)deliver_proc_list(b.deliver, hear_list, &heard);
	rig_run_until(b.rig.loop, is_heard, &heard, 60000, "the list");
	cr_assert_eq(rig_count_log("the list of viewers has more than 65536"),
		     1, "%s", rig_log());
	teardown(&b);
}

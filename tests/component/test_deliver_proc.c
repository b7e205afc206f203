/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The master's side of deliver with the real worker behind it. */
#include "common/base/buf.h"
#include "common/base/fd.h"
#include "common/base/ring.h"
#include "common/base/sockaddr.h"
#include "master/config/config.h"
#include "master/config/play_conf.h"
#include "master/streams/deliver_proc.h"
#include "master/streams/deliver_state.h"
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
	json_t *settings; /* NULL: the defaults */
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

	b->viewer = -1;
	cr_assert_eq(sockaddr_parse(rig_host(), 8000, &b->port), 0);
	b->ring_fd = ring_create(RING_UNIT, 0);
	cr_assert_geq(b->ring_fd, 0);
	service_rig_init(&b->rig, worker);
	config = service_rig_config(&b->rig);
	b->deliver = deliver_proc_new(&config, NULL, b->settings, 7);
	b->config = config_open(NULL, b->rig.loop, &error);
	b->viewers = viewers_new(&(struct viewers_config){
		.loop = b->rig.loop, .config = b->config,
	});
	deliver_proc_set_viewers(b->deliver, b->viewers);
}

static void setup(struct bench *b)
{
	*b = (struct bench){ 0 };
	setup_with(b, "sluice-worker");
}

static void teardown(struct bench *b)
{
	struct service_proc *s;

	for (unsigned i = 0;
	     (s = deliver_proc_service(b->deliver, i)) != NULL; i++) {
		b->rig.gone = false;
		service_rig_stop(&b->rig, s);
	}
	for (size_t i = 0; i < MANY; i++)
		mount_free(&b->mounts[i]);
	deliver_proc_set_viewers(b->deliver, NULL);
	viewers_free(&b->viewers);
	config_close(&b->config);
	deliver_proc_free(&b->deliver);
	json_decref(b->settings);
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
	cr_assert_eq(rig_count_log("its messages"), 0, "%s", rig_log());
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

struct heard {
	bool is;
	bool nothing;
	size_t n;
};

static void hear_list(const json_t *sessions, void *arg)
{
	*(struct heard *)arg = (struct heard){
		true, sessions == NULL, json_array_size(sessions)
	};
}

static bool is_heard(void *arg)
{
	return ((const struct heard *)arg)->is;
}

static bool is_running(void *arg)
{
	return service_proc_is_running(
		deliver_proc_service(((struct bench *)arg)->deliver, 0));
}

/* The list of a worker that an attacker controls ends the worker, not the
 * master. */
Test(deliver_proc, ends_a_worker_whose_list_has_no_end, .timeout = 90)
{
	static struct bench b = { 0 };
	struct heard heard = { false };

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
	cr_assert_eq(heard.n, 0u);
	/* where this machine is slow the time ends before the room does */
	cr_assert(heard.nothing ||
		  rig_count_log("the list of viewers has more than 131072") ==
			  1, "%s", rig_log());
	teardown(&b);
}

/* A connection that has sent this request. */
static int ask(const struct bench *b, const char *request)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	cr_assert_eq(connect(fd, &b->port.sa, b->port.len), 0);
	cr_assert_eq(send(fd, request, strlen(request), 0),
		     (ssize_t)strlen(request));
	return fd;
}

static bool has_viewer(void *arg)
{
	return deliver_proc_viewers(((struct bench *)arg)->deliver) == 1;
}

static bool has_status(void *arg)
{
	struct bench *b = arg;

	return recv(b->viewer, b->answer, sizeof b->answer - 1,
		    MSG_DONTWAIT) > 0;
}

/* A stream makes the changed mount before it frees the old one.  A request that
 * waits shows whether the worker ever was without the path. */
Test(deliver_proc, a_path_whose_settings_change_is_never_missing,
     .timeout = 90)
{
	static struct bench b;
	struct mount_config cfg = {
		.listen = &b.port,
		.path = "/a",
		.stream = "a001",
		.demand = true,
	};
	struct ring_writer *writer;
	struct mount *old;
	size_t room;
	int err;

	setup(&b);
	cfg.ring_fd = b.ring_fd;
	old = mount_new(b.deliver, &cfg);
	rig_run_until(b.rig.loop, is_running, &b, 10000, "the worker");
	b.viewer = ask(&b, "GET /a HTTP/1.0\r\n\r\n");
	rig_run_until(b.rig.loop, has_viewer, &b, 10000, "a viewer");
	cfg.no_auth = true;
	b.mounts[0] = mount_new(b.deliver, &cfg);
	mount_free(&old);
	rig_run_until(b.rig.loop, has_viewer, &b, 10000, "the viewer again");
	writer = ring_writer_new(b.ring_fd, &err);
	cr_assert_not_null(writer);
	ring_mark(writer, &(struct ring_rap){ .pos = ring_writer_pos(writer) });
	memset(ring_room(writer, &room), 0, RING_PACKET);
	ring_commit(writer, 1);
	ring_publish(writer);
	rig_run_until(b.rig.loop, has_status, &b, 30000, "an answer");
	cr_assert_not_null(strstr(b.answer, " 200 "), "%s", b.answer);
	ring_writer_free(&writer);
	teardown(&b);
}

/* The mount of another stream waits for longer than the changed one. */
Test(deliver_proc, a_changed_path_stays_with_its_stream, .timeout = 90)
{
	static struct bench b;
	struct mount_config cfg = { .path = "/a", .stream = "a001" };
	struct mount *old;

	setup(&b);
	cfg.listen = &b.port;
	cfg.ring_fd = b.ring_fd;
	old = mount_new(b.deliver, &cfg);
	cfg.stream = "b001";
	b.mounts[0] = mount_new(b.deliver, &cfg);
	cfg.stream = "a001";
	cfg.no_auth = true;
	b.mounts[1] = mount_new(b.deliver, &cfg);
	mount_free(&old);
	cr_assert_not(b.mounts[1]->waits);
	cr_assert(b.mounts[0]->waits);
	mount_free(&b.mounts[1]);
	cr_assert_not(b.mounts[0]->waits);
	rig_run_until(b.rig.loop, is_running, &b, 10000, "the worker");
	teardown(&b);
}

enum { CROWD = 32 };

struct crowd {
	struct bench *bench;
	int fds[CROWD];
	size_t n;
};

/* Every viewer has an answer. */
static bool all_are_served(void *arg)
{
	const struct crowd *c = arg;
	char head[16];

	for (size_t i = 0; i < c->n; i++)
		if (recv(c->fds[i], head, sizeof head - 1,
			 MSG_DONTWAIT | MSG_PEEK) < 12 ||
		    memcmp(head + 8, " 200", 4) != 0)
			return false;
	return true;
}

static void serve(struct crowd *c, size_t n)
{
	for (c->n = 0; c->n < n; c->n++)
		c->fds[c->n] = ask(c->bench, "GET /a HTTP/1.0\r\n\r\n");
	rig_run_until(c->bench->rig.loop, all_are_served, c, 10000, "answers");
}

static bool both_run(void *arg)
{
	const struct bench *b = arg;

	return rig_find_child("sluice-worker deliver 1") > 0 &&
	       rig_find_child("sluice-worker deliver 2") > 0 &&
	       service_proc_channel(deliver_proc_service(b->deliver, 0)) !=
		       NULL &&
	       service_proc_channel(deliver_proc_service(b->deliver, 1)) !=
		       NULL;
}

static bool counts_all(void *arg)
{
	const struct crowd *c = arg;

	return deliver_proc_viewers(c->bench->deliver) == c->n;
}

/* The second one has ended, and its successor cannot start: the first one
 * accepts the viewers of both sockets. */
Test(deliver_proc, a_worker_accepts_the_viewers_of_one_that_ended,
     .timeout = 90)
{
	static struct bench b;
	static struct crowd first = { .bench = &b }, later = { .bench = &b };
	pid_t pid;

	b = (struct bench){ .settings = json_pack("{s:i}", "http_workers", 2) };
	setup_with(&b, "sluice-worker");
	b.mounts[0] = mount_new(b.deliver, &(struct mount_config){
		.listen = &b.port,
		.path = "/a",
		.stream = "a001",
		.ring_fd = b.ring_fd,
	});
	rig_run_until(b.rig.loop, both_run, &b, 10000, "both workers");
	serve(&first, CROWD);
	rig_run_until(b.rig.loop, counts_all, &first, 10000, "the number");
	pid = rig_find_child("sluice-worker deliver 2");
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	/* some of these wait in its socket */
	for (later.n = 0; later.n < CROWD; later.n++)
		later.fds[later.n] = ask(&b, "GET /a HTTP/1.0\r\n\r\n");
	service_proc_stop(deliver_proc_service(b.deliver, 1));
	cr_assert_eq(kill(pid, SIGKILL), 0);
	rig_run_until(b.rig.loop, all_are_served, &later, 10000, "answers");
	cr_assert_eq(rig_find_child("sluice-worker deliver 2"), 0);
	for (size_t i = 0; i < CROWD; i++) {
		(void)close(first.fds[i]);
		(void)close(later.fds[i]);
	}
	teardown(&b);
}

static bool has_no_viewer(void *arg)
{
	return deliver_proc_viewers(((struct bench *)arg)->deliver) == 0;
}

/* The worker made the mount anew, and reports none without viewers. */
Test(deliver_proc, viewers_of_the_last_master_do_not_stay, .timeout = 90)
{
	static struct bench b;

	setup(&b);
	b.mounts[0] = mount_new(b.deliver, &(struct mount_config){
		.listen = &b.port,
		.path = "/a",
		.stream = "a001",
		.ring_fd = b.ring_fd,
	});
	rig_run_until(b.rig.loop, is_running, &b, 10000, "the worker");
	/* as after an adoption */
	b.mounts[0]->seats[0].viewers = 3;
	b.mounts[0]->seats[0].kept = true;
	b.deliver->workers[0]->renewing = true;
	cr_assert_eq(deliver_proc_viewers(b.deliver), 3u);
	deliver_proc_settle(b.deliver);
	rig_run_until(b.rig.loop, has_no_viewer, &b, 30000, "no viewer");
	teardown(&b);
}

static bool has_line(void *text)
{
	return rig_count_log(text) > 0;
}

Test(deliver_proc, a_play_port_in_use_is_reported_until_it_is_free,
     .timeout = 90)
{
	static struct bench b;
	struct play_conf play = { .has_port = true };
	int other = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char used[96], listens[96];

	setup(&b);
	cr_assert_eq(bind(other, &b.port.sa, b.port.len), 0);
	cr_assert_eq(listen(other, 1), 0);
	play.port = b.port;
	(void)snprintf(used, sizeof used, "http_play_port: %s:8000: Address "
		       "already in use", rig_host());
	(void)snprintf(listens, sizeof listens, "http_play_port: %s:8000: "
		       "listening", rig_host());
	deliver_proc_set_play(b.deliver, &play);
	rig_run_until(b.rig.loop, has_line, used, 60000, "the error");
	cr_assert_not_null(deliver_proc_play_error(b.deliver));
	fd_close(&other);
	rig_run_until(b.rig.loop, has_line, listens, 60000, "the recovery");
	teardown(&b);
}

static void answer_without_descriptors(struct list_question *q,
				       struct viewer_guest *guest, void *arg)
{
	static const struct msg_deliver_page page = {
		.status = 200, .type = "text/xml", .etag = "",
	};
	struct buf text = { 0 };
	struct rlimit files, none;

	(void)guest, (void)arg;
	buf_printf(&text, "<tv/>");
	cr_assert_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	none = files;
	none.rlim_cur = 0;
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	list_question_answer(q, &page, &text);
	cr_assert_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	buf_done(&text);
}

/* The worker itself would answer after GUIDES_WAIT_MS, which is later. */
Test(deliver_proc, a_list_for_which_no_descriptor_is_left_gets_an_answer,
     .timeout = 90)
{
	static struct bench b;

	setup(&b);
	deliver_proc_set_play(b.deliver, &(struct play_conf){
		.has_port = true, .port = b.port });
	viewers_set_lists(b.viewers, answer_without_descriptors, NULL);
	rig_run_until(b.rig.loop, is_running, &b, 10000, "the worker");
	b.viewer = ask(&b, "GET /epg.xml HTTP/1.0\r\n\r\n");
	rig_run_until(b.rig.loop, has_status, &b, 5000, "an answer");
	cr_assert_not_null(strstr(b.answer, " 503 "), "%s", b.answer);
	teardown(&b);
}

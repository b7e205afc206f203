/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real backend worker, through the master's side of it. */
#include "master/viewers/backend_proc.h"

#include "common/base/sockaddr.h"
#include "proto/ipc/channel.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	CONNECTIONS_MAX = 512,
	VISITS = 300,        /* more than the worker has places */
	WAITING = 300,
	WORKER_PLACES = 256,
};

struct bench {
	struct service_rig rig;
	struct backend_proc *backend;
	int server; /* does not answer */
	int client; /* the last connection to it, or -1 */
	unsigned done;
	int status; /* of the result; -1: there was none */
	char error[128];
};

static void setup(struct bench *b, const char *worker)
{
	struct service_config config;
	struct sockaddr_any any;

	*b = (struct bench){ .client = -1, .status = -1 };
	cr_assert_eq(sockaddr_parse("127.0.0.1", 0, &any), 0);
	b->server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			   0);
	cr_assert_eq(bind(b->server, &any.sa, any.len), 0);
	cr_assert_eq(listen(b->server, CONNECTIONS_MAX), 0);
	service_rig_init(&b->rig, worker);
	config = service_rig_config(&b->rig);
	b->backend = backend_proc_new(&config);
}

static void teardown(struct bench *b)
{
	service_rig_stop(&b->rig, backend_proc_service(b->backend));
	backend_proc_free(&b->backend);
	service_rig_done(&b->rig);
	(void)close(b->server);
	if (b->client >= 0)
		(void)close(b->client);
}

static void on_done(const struct msg_backend_result *r, void *arg)
{
	struct bench *b = arg;

	b->done++;
	if (r == NULL)
		return;
	b->status = (int)r->status;
	(void)snprintf(b->error, sizeof b->error, "%s", r->error);
}

static struct msg_backend_ask question(const struct bench *b, char url[64])
{
	struct sockaddr_any at;

	cr_assert_eq(sockaddr_of_listener(b->server, &at), 0);
	(void)snprintf(url, 64, "http://127.0.0.1:%u/", sockaddr_port(&at));
	return (struct msg_backend_ask){
		.url = url, .session = "1", .channel = "a",
		.peer = "192.0.2.1", .path = "/", .agent = "", .host = "",
	};
}

static struct backend_job *ask_for(struct bench *b, backend_done_fn *done,
				   void *arg)
{
	char url[64];
	struct msg_backend_ask q = question(b, url);
	struct backend_job *j = backend_job_new(b->backend, &q, done, arg);

	cr_assert_not_null(j);
	return j;
}

static struct backend_job *ask(struct bench *b)
{
	return ask_for(b, on_done, b);
}

static bool is_done(void *arg)
{
	return ((struct bench *)arg)->done > 0;
}

static bool is_asked(void *arg)
{
	struct bench *b = arg;
	int fd = accept4(b->server, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0 && b->client >= 0)
		(void)close(b->client);
	if (fd >= 0)
		b->client = fd;
	return fd >= 0 || b->done > 0;
}

Test(backend_proc, without_a_worker_the_backend_is_unavailable, .timeout = 90)
{
	struct bench b;

	setup(&b, "no-such-worker");
	(void)ask(&b);
	rig_run_until(b.rig.loop, is_done, &b, 10000, "an answer");
	cr_assert_eq(b.status, 0, "there is a result");
	cr_assert_str_eq(b.error, "the process that asks it does not run");
	teardown(&b);
}

Test(backend_proc, a_job_that_ended_two_workers_is_not_sent_again,
     .timeout = 90)
{
	struct bench b;

	setup(&b, "sluice-worker");
	(void)ask(&b);
	for (unsigned i = 0; i < 2 && b.done == 0; i++) {
		rig_run_until(b.rig.loop, is_asked, &b, 10000, "a question");
		if (b.done == 0)
			cr_assert_eq(kill(rig_find_child("backend"), SIGKILL),
				     0);
	}
	rig_run_until(b.rig.loop, is_done, &b, 10000, "an answer");
	cr_assert_eq(b.status, 0);
	if (strcmp(b.error, "the process that asks it ended twice") != 0)
		cr_assert(rig_is_busy(), "%s", b.error);
	teardown(&b);
}

/* A job of which the worker has made a request. */
static void begin(struct bench *b)
{
	struct backend_job *first;

	setup(b, "sluice-worker");
	first = ask(b);
	rig_run_until(b->rig.loop, is_asked, b, 10000, "a question");
	cr_assert_eq(b->done, 0);
	backend_job_cancel(&first);
}

struct waiting {
	struct bench *bench;
	struct backend_job *job; /* NULL: it has ended */
};

static void on_waiting(const struct msg_backend_result *r, void *arg)
{
	struct waiting *w = arg;

	w->job = NULL;
	on_done(r, w->bench);
}

Test(backend_proc, a_cancelled_job_keeps_its_place_with_the_worker,
     .timeout = 90)
{
	struct waiting list[WAITING];
	struct bench b;

	begin(&b);
	for (unsigned i = 0; i < VISITS; i++) {
		struct backend_job *visit = ask(&b);

		(void)ev_run(b.rig.loop, EVRUN_NOWAIT);
		backend_job_cancel(&visit);
	}
	for (unsigned i = 0; i < WAITING; i++) {
		list[i].bench = &b;
		list[i].job = ask_for(&b, on_waiting, &list[i]);
	}
	rig_run_for(b.rig.loop, 1000);
	if (b.done != 0)
		cr_expect(b.status == -1 && rig_is_busy(), "%u of %u: %s",
			  b.done, (unsigned)WAITING, b.error);
	for (unsigned i = 0; i < WAITING; i++)
		backend_job_cancel(&list[i].job);
	teardown(&b);
}

Test(backend_proc, a_worker_without_a_place_says_nothing_about_the_backend,
     .timeout = 90)
{
	struct msg m = { .type = MSG_BACKEND_ASK };
	struct bench b;
	char url[64];

	begin(&b);
	m.backend_ask = question(&b, url);
	for (unsigned i = 0; i < WORKER_PLACES; i++) {
		m.seq = UINT32_MAX - i;
		cr_assert_eq(channel_send(service_proc_channel(
			backend_proc_service(b.backend)), &m, NULL, 0), 0);
		(void)ev_run(b.rig.loop, EVRUN_NOWAIT);
	}
	(void)ask(&b);
	rig_run_until(b.rig.loop, is_done, &b, 10000, "an answer");
	/* after 3 s the worker has places again */
	if (b.status != -1)
		cr_expect(strcmp(b.error, "no answer within 3 s") == 0 &&
			  rig_is_busy(), "%s", b.error);
	teardown(&b);
}

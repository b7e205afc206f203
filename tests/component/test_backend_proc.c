/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real backend worker, through the master's side of it. */
#include "master/viewers/backend_proc.h"

#include "common/base/sockaddr.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
	cr_assert_eq(listen(b->server, 8), 0);
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

static void ask(struct bench *b)
{
	struct sockaddr_any at;
	char url[64];

	cr_assert_eq(sockaddr_of_listener(b->server, &at), 0);
	(void)snprintf(url, sizeof url, "http://127.0.0.1:%u/",
		       sockaddr_port(&at));
	cr_assert_not_null(backend_job_new(
		b->backend, &(struct msg_backend_ask){
			.url = url, .session = "1", .channel = "a",
			.peer = "192.0.2.1", .path = "/", .agent = "",
			.host = "" },
		on_done, b));
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
	ask(&b);
	rig_run_until(b.rig.loop, is_done, &b, 10000, "an answer");
	cr_assert_eq(b.status, 0, "there is a result");
	cr_assert_str_eq(b.error, "its worker does not run");
	teardown(&b);
}

Test(backend_proc, a_job_that_ended_two_workers_is_not_sent_again,
     .timeout = 90)
{
	struct bench b;

	setup(&b, "sluice-worker");
	ask(&b);
	for (unsigned i = 0; i < 2 && b.done == 0; i++) {
		rig_run_until(b.rig.loop, is_asked, &b, 10000, "a question");
		if (b.done == 0)
			cr_assert_eq(kill(rig_find_child("backend"), SIGKILL),
				     0);
	}
	rig_run_until(b.rig.loop, is_done, &b, 10000, "an answer");
	cr_assert_eq(b.status, 0);
	if (strcmp(b.error, "its worker ended twice") != 0)
		cr_assert(rig_is_busy(), "%s", b.error);
	teardown(&b);
}

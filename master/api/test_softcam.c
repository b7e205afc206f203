/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command test-softcam: logs in to the server of a softcam. */
#include "common/base/alloc.h"
#include "master/api/edit.h"
#include "master/streams/reconciler.h"
#include "common/supervise/jobs.h"
#include "proto/ipc/channel.h"

#include <stdlib.h>
#include <string.h>

enum {
	TESTS_MAX = 4, /* at a time: this is no port scanner */
	TEST_MS = 10000,
};

struct test {
	struct call *call;
	struct job *job;
	char *host;
	unsigned port;
};

static void test_free(void *arg)
{
	struct test *t = arg;

	job_free(&t->job);
	free(t->host);
	free(t);
}

static void reply_fault(struct reply *reply, const char *error,
			bool with_status)
{
	json_t *body = json_object();

	(void)json_object_set_new(body, "error", json_string(error));
	if (with_status)
		(void)json_object_set_new(body, "status", json_integer(0));
	reply_json(reply, body);
}

static void finish(struct test *t, const char *error, bool with_status)
{
	struct call *call = t->call;

	reply_fault(call_reply(call), error, with_status);
	test_free(t);
	call_finish(call);
}

static void on_hello(struct channel *channel, void *self)
{
	const struct test *t = self;
	struct msg m = { .type = MSG_SOFTCAM_TEST,
			 .softcam_test = { t->host, t->port } };

	(void)channel_send(channel, &m, NULL, 0);
}

static void on_message(const struct msg *m, void *self)
{
	if (m->type == MSG_SOFTCAM_RESULT)
		finish(self, m->softcam_result.error, true);
}

static void on_end(const char *error, void *self)
{
	(void)error; /* the supervisor of the worker has logged it */
	finish(self, "failed to initialize softcam", false);
}

static void on_deadline(void *self)
{
	finish(self, "timeout", false);
}

static const struct job_kind kind = {
	.role = "softcam",
	.beat = MSG_SOFTCAM_RESULT,
	.max = TESTS_MAX,
	.on_hello = on_hello,
	.on_message = on_message,
	.on_end = on_end,
	.on_deadline = on_deadline,
};

/* False after a reply. */
static bool judge(const json_t *config, struct reply *reply)
{
	const json_t *port = edit_get(config, "port");
	const json_t *host = edit_get(config, "host");
	json_int_t number = json_integer_value(port);

	if (host == NULL)
		reply_drop(reply, "config.host");
	else if (port == NULL)
		reply_drop(reply, "config.port");
	else if (!json_is_string(host) || json_string_length(host) == 0)
		reply_error(reply, 400, "config.host: is not a host");
	else if (!json_is_integer(port) || number < 1 || number > 65535)
		reply_error(reply, 400, "config.port: is not a port");
	else
		return true;
	return false;
}

static void softcams_test(struct api *api, const json_t *request,
			  struct reply *reply)
{
	const json_t *config = edit_get(request, "config");
	const char *type = edit_text(config, "type");
	struct test *t;

	if (!json_is_object(config)) {
		reply_drop(reply, "config");
		return;
	}
	if (type == NULL || strcmp(type, "newcamd") != 0) {
		reply_fault(reply, "failed to initialize softcam", false);
		return;
	}
	if (!judge(config, reply))
		return;
	t = xcalloc(1, sizeof *t);
	t->job = job_start(reconciler_jobs(api->cfg.reconciler), &kind, t);
	if (t->job == NULL) {
		reply_error(reply, 503, "%d tests run already", TESTS_MAX);
		free(t);
		return;
	}
	t->host = xstrdup(edit_text(config, "host"));
	t->port = (unsigned)json_integer_value(json_object_get(config,
							       "port"));
	job_set_deadline(t->job, TEST_MS);
	t->call = reply_later(reply, test_free, t);
}

const struct api_command test_softcam_commands[] = {
	{ "test-softcam", softcams_test, OBSERVER_HIDDEN, COMMAND_UNLOGGED },
	{ 0 },
};

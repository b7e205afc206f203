/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command test-softcam: logs in to the server of a softcam. */
#include "common/base/alloc.h"
#include "common/base/hex.h"
#include "master/api/edit.h"
#include "master/streams/reconciler.h"
#include "common/supervise/jobs.h"
#include "proto/ipc/channel.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* greatest number of parallel tests; low, so that the command cannot be
	 * used as a port scanner */
	TESTS_MAX = 4,
	TEST_MS = 10000,
	STATUS_LOGGED_IN = 3,
	KEY_DIGITS = 28,
	CAID_DIGITS = 4,
};

struct test {
	struct call *call;
	struct job *job;
	char *host, *user, *password, *key;
	unsigned port;
	int caid; /* CAID in the request; -1: none */
};

static void test_free(void *arg)
{
	struct test *t = arg;

	job_free(&t->job);
	free(t->host);
	free(t->user);
	free(t->password);
	free(t->key);
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

static json_t *describe(const struct msg_softcam_result *r, int caid)
{
	json_t *idents = json_array();

	for (size_t i = 0; i < r->n; i++)
		(void)json_array_append_new(idents, json_pack(
			"{s:s, s:s}", "id", r->idents[i].id,
			"sa", r->idents[i].sa));
	return json_pack("{s:i, s:i, s:i, s:i, s:{s:i, s:b, s:s, s:o}}",
			 "status", STATUS_LOGGED_IN,
			 "caid", caid >= 0 ? caid : (int)r->caid,
			 "ecm_rate", 0, "emm_rate", 0,
			 "info", "caid", (int)r->caid, "au", (int)r->au,
			 "ua", r->ua, "idents", idents);
}

static void finish_well(struct test *t, const struct msg_softcam_result *r)
{
	struct call *call = t->call;

	reply_json(call_reply(call), describe(r, t->caid));
	test_free(t);
	call_finish(call);
}

static void on_hello(struct channel *channel, void *self)
{
	const struct test *t = self;
	struct msg m = { .type = MSG_SOFTCAM_TEST,
			 .softcam_test = {
				 .host = t->host,
				 .port = t->port,
				 .user = t->user,
				 .password = t->password,
				 .key = t->key,
			 } };

	(void)channel_send(channel, &m, NULL, 0);
}

static void on_message(const struct msg *m, void *self)
{
	if (m->type != MSG_SOFTCAM_RESULT)
		return;
	if (m->softcam_result.error != NULL)
		finish(self, m->softcam_result.error, true);
	else
		finish_well(self, &m->softcam_result);
}

static void on_end(const char *error, void *self)
{
	(void)error; /* the supervisor of the worker has logged the error */
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

/* Judges the user name or the password in the request; path: "config.user" or
 * "config.pass".  False: the reply already has the error, or the connection is
 * to be closed. */
static bool judge_login(const json_t *config, const char *path,
			struct reply *reply)
{
	const json_t *text = edit_get(config, strchr(path, '.') + 1);

	if (text == NULL)
		reply_drop(reply, path);
	else if (!json_is_string(text))
		reply_error(reply, 400, "%s: is not a string", path);
	else if (json_string_length(text) > MSG_CAM_LOGIN_MAX)
		reply_error(reply, 400, "%s: is longer than %d bytes", path,
			    MSG_CAM_LOGIN_MAX);
	else
		return true;
	return false;
}

/* Judges the softcam of the request.  False: the reply already has the error,
 * or the connection is to be closed. */
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
		reply_error(reply, 400, "config.host: is not a host name or "
					"address");
	else if (!json_is_integer(port) || number < 1 || number > 65535)
		reply_error(reply, 400, "config.port: is not a port (1 to "
					"65535)");
	else
		return judge_login(config, "config.user", reply) &&
		       judge_login(config, "config.pass", reply);
	return false;
}

/* Reads a CAID of four hexadecimal digits; -1: anything else. */
static int read_caid(const char *text)
{
	uint8_t bytes[CAID_DIGITS / 2];

	if (text == NULL || strlen(text) != CAID_DIGITS ||
	    !hex_read(text, bytes, sizeof bytes))
		return -1;
	return bytes[0] << 8 | bytes[1];
}

static void softcams_test(struct api *api, const json_t *request,
			  struct reply *reply)
{
	const json_t *config = edit_get(request, "config");
	const char *type = edit_text(config, "type");
	const char *key = edit_text(config, "key");
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
	t->user = xstrdup(edit_text(config, "user"));
	t->password = xstrdup(edit_text(config, "pass"));
	/* a key of another length is ignored */
	t->key = xstrdup(key != NULL && strlen(key) == KEY_DIGITS ? key : "");
	t->caid = read_caid(edit_text(config, "caid"));
	t->port = (unsigned)json_integer_value(json_object_get(config,
							       "port"));
	job_set_deadline(t->job, TEST_MS);
	t->call = reply_later(reply, test_free, t);
}

const struct api_command test_softcam_commands[] = {
	{ "test-softcam", softcams_test, OBSERVER_HIDDEN, COMMAND_UNLOGGED },
	{ 0 },
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `auth`: hashes passwords, one after the other, and stores none. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/password.h"
#include "worker/core/worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Added to the niceness of the service: hashing uses much CPU, and the workers
 * of streams have precedence. */
enum { NICE = 5 };

struct role {
	struct worker *worker;
	uint64_t jobs;
};

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	(void)!nice(NICE);
	return r;
}

static void role_free(void *role)
{
	free(role);
}

static void every_second(void *role)
{
	const struct role *r = role;
	struct msg m = { .type = MSG_AUTH_STATUS,
			 .auth_status = { .jobs = r->jobs } };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

/* Wipes the password from the document of the message and sends the result. */
static void finish(struct role *r, const struct msg *request,
		   const char *password, const struct msg_auth_result *result)
{
	struct msg m = { .type = MSG_AUTH_RESULT,
			 .seq = request->seq,
			 .auth_result = *result };

	explicit_bzero((char *)password, strlen(password));
	r->jobs++;
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void on_hash(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const char *password = m->auth_hash.password;
	char hash[PASSWORD_HASH_MAX] = "";
	int err = password_hash(password, hash);

	(void)fds, (void)n_fds;
	if (err < 0)
		log_error("auth", "cannot hash a password: %s",
			  strerror(-err));
	finish(role, m, password, &(struct msg_auth_result){
		.ok = err == 0,
		.hash = err == 0 ? hash : "",
	});
}

static void on_verify(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	const char *password = m->auth_verify.password;
	bool ok = password_verify(password, m->auth_verify.hash);

	(void)fds, (void)n_fds;
	finish(role, m, password,
	       &(struct msg_auth_result){ .ok = ok, .hash = "" });
}

const struct worker_role auth_role = {
	.name = "auth",
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = {
		[MSG_AUTH_HASH] = on_hash,
		[MSG_AUTH_VERIFY] = on_verify,
	},
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `auth`: hashes passwords, one after the other, and keeps none. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/password.h"
#include "worker/core/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

/* What has to be on time goes first. */
enum { NICE = 5 };

struct role {
	struct worker *worker;
	ev_timer second;
	bool ready;
	uint64_t jobs;
};

static void on_second(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)revents;
	struct role *r = container_of(timer, struct role, second);
	struct msg m = { .type = MSG_AUTH_STATUS,
			 .auth_status = { .jobs = r->jobs } };

	if (!r->ready)
		worker_send_ready(r->worker);
	r->ready = true;
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	/* no core of ours, and nobody looks into our memory */
	(void)prctl(PR_SET_DUMPABLE, 0);
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	ev_timer_init(&r->second, on_second, 0., 1.);
	ev_timer_start(worker->loop, &r->second);
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->second);
	free(r);
}

/* The text is in a document that only this message has. */
static void wipe(const char *secret)
{
	explicit_bzero((char *)secret, strlen(secret));
}

static void answer(struct role *r, uint32_t seq, bool ok, const char *hash)
{
	struct msg m = { .type = MSG_AUTH_RESULT,
			 .seq = seq,
			 .auth_result = { .ok = ok, .hash = hash } };

	r->jobs++;
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void make_hash(struct role *r, const struct msg *m)
{
	char hash[PASSWORD_HASH_MAX];
	int err = password_hash(m->auth_hash.password, hash);

	wipe(m->auth_hash.password);
	if (err < 0)
		log_error("auth", "cannot hash a password: %s",
			  strerror(-err));
	answer(r, m->seq, err == 0, err == 0 ? hash : "");
}

static void verify(struct role *r, const struct msg *m)
{
	bool ok = password_verify(m->auth_verify.password,
				  m->auth_verify.hash);

	wipe(m->auth_verify.password);
	answer(r, m->seq, ok, "");
}

static void on_message(void *role, const struct msg *m, int *fds,
		       size_t n_fds)
{
	struct role *r = role;

	(void)fds, (void)n_fds;
	switch (m->type) {
	case MSG_AUTH_HASH:
		make_hash(r, m);
		break;
	case MSG_AUTH_VERIFY:
		verify(r, m);
		break;
	default:
		log_warning("auth", "%s is not for this role",
			    msg_type_name(m->type));
		break;
	}
}

const struct worker_role auth_role = {
	.name = "auth",
	.new = role_new,
	.free = role_free,
	.on_message = on_message,
};

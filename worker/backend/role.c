/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The role `backend`: asks the authorization backend about viewers. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "worker/backend/backend_fetch.h"
#include "worker/core/worker.h"

#include <curl/curl.h>
#include <ev.h>
#include <stdlib.h>
#include <sysexits.h>

enum {
	/* time between two calls of curl_multi_perform(), while requests run */
	TURN_MS = 5,
	FETCHES_MAX = 256, /* the master sends fewer at a time */
	CONNECTIONS_MAX = 64,
};

struct role {
	struct worker *worker;
	CURLM *multi;
	ev_timer turn;
	struct backend_fetch *fetches[FETCHES_MAX];
	unsigned n;
	uint64_t requests;
};

static void send_result(struct role *r, uint32_t seq,
			const struct msg_backend_result *result)
{
	struct msg m = { .type = MSG_BACKEND_RESULT, .seq = seq,
			 .backend_result = *result };

	r->requests++;
	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void finish(struct role *r, struct backend_fetch *f, CURLcode code)
{
	struct msg_backend_result result;
	unsigned i = 0;

	while (i < r->n && r->fetches[i] != f)
		i++;
	if (i == r->n)
		return;
	r->fetches[i] = r->fetches[--r->n];
	backend_fetch_end(f, code, &result);
	send_result(r, backend_fetch_seq(f), &result);
	backend_fetch_free(&f);
}

static void on_turn(struct ev_loop *loop, ev_timer *t, int revents)
{
	struct role *r = container_of(t, struct role, turn);
	struct backend_fetch *f;
	int running, left;
	CURLMsg *m;

	(void)revents;
	(void)curl_multi_perform(r->multi, &running);
	while ((m = curl_multi_info_read(r->multi, &left)) != NULL)
		if (m->msg == CURLMSG_DONE &&
		    curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE,
				      (char **)&f) == CURLE_OK)
			finish(r, f, m->data.result);
	for (unsigned i = r->n; i-- > 0;)
		if (backend_fetch_is_answered(r->fetches[i]))
			finish(r, r->fetches[i], CURLE_OK);
	if (r->n == 0)
		ev_timer_stop(loop, t);
}

static void *role_new(struct worker *worker)
{
	struct role *r = xcalloc(1, sizeof *r);

	r->worker = worker;
	r->multi = curl_multi_init();
	if (r->multi == NULL ||
	    curl_multi_setopt(r->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
			      (long)CONNECTIONS_MAX) != CURLM_OK) {
		log_error("backend", "libcurl cannot start");
		worker_exit(worker, EX_SOFTWARE);
	}
	ev_init(&r->turn, on_turn);
	r->turn.repeat = TURN_MS / 1000.;
	return r;
}

static void role_free(void *role)
{
	struct role *r = role;

	ev_timer_stop(r->worker->loop, &r->turn);
	while (r->n > 0)
		backend_fetch_free(&r->fetches[--r->n]);
	if (r->multi != NULL)
		(void)curl_multi_cleanup(r->multi);
	free(r);
}

static void every_second(void *role)
{
	const struct role *r = role;
	struct msg m = { .type = MSG_BACKEND_STATUS,
			 .backend_status = { .requests = r->requests } };

	(void)channel_send(r->worker->channel, &m, NULL, 0);
}

static void on_ask(void *role, const struct msg *m, int *fds, size_t n_fds)
{
	struct role *r = role;
	struct backend_fetch *f = NULL;
	struct msg_backend_result failed = {
		.login = "", .user = "", .location = "",
		.error = "the request cannot be made",
	};

	(void)fds, (void)n_fds;
	/* no room for the request: an empty error is no error of the backend */
	if (r->n >= FETCHES_MAX)
		failed.error = "";
	else
		f = backend_fetch_new(r->multi, m->seq, &m->backend_ask);
	if (f == NULL) {
		send_result(r, m->seq, &failed);
		return;
	}
	r->fetches[r->n++] = f;
	if (!ev_is_active(&r->turn))
		ev_timer_again(r->worker->loop, &r->turn);
}

const struct worker_role backend_role = {
	.name = "backend",
	.needs = NEED_THREADS | NEED_TCP | NEED_UDP | NEED_NAMES,
	.new = role_new,
	.free = role_free,
	.every_second = every_second,
	.messages = { [MSG_BACKEND_ASK] = on_ask },
};

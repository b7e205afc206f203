/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A master that judges viewers, and workers that ask it.  A program includes it
 * once. */
#pragma once

#include "master/viewers/viewers.h"

#include "common/base/errmsg.h"
#include "common/supervise/auth_proc.h"
#include "master/auth/password_check.h"
#include "master/config/config.h"
#include "master/streams/stream_proc_state.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>

static struct world {
	struct ev_loop *loop;
	struct config *config; /* empty: every viewer is allowed */
	struct gate *gate;
	unsigned checks; /* of passwords */
	struct viewers *viewers;
	enum ask_verdict verdict; /* of the last answer */
	unsigned answers;
	bool real_ip; /* of the last policy, as the next one */
	bool shared;
	struct msg_deliver_kick kick; /* the last one */
	unsigned kicks;
	uint64_t reviewed; /* a bit for each client, up to 63 */
	size_t joined, left; /* viewers, as reported */
} w;

/* The worker's job: the last one that began. */
static struct auth_job {
	struct auth_job_config cfg;
} job;

struct auth_job *auth_job_new(struct auth_proc *p,
			      const struct auth_job_config *cfg)
{
	(void)p;
	job.cfg = *cfg;
	w.checks++;
	return &job;
}

void auth_job_cancel(struct auth_job **j)
{
	*j = NULL;
}

static inline void take(const struct msg *m, void *arg)
{
	(void)arg;
	if (m->type == MSG_DELIVER_POLICY) {
		w.real_ip = m->deliver_policy.real_ip;
		w.shared = m->deliver_policy.shared;
	}
	if (m->type == MSG_DELIVER_KICK) {
		w.kick = m->deliver_kick;
		w.kicks++;
	}
	if (m->type == MSG_DELIVER_REVIEW)
		w.reviewed |= UINT64_C(1) << m->deliver_review.client;
	if (m->type != MSG_DELIVER_ANSWER)
		return;
	w.verdict = m->deliver_answer.verdict;
	w.answers++;
}

static inline void count_changes(const struct msg_deliver_changes *m, void *arg)
{
	(void)arg;
	w.joined += m->n_joined;
	w.left += m->n_left;
}

static inline void set_up(void)
{
	struct errmsg error;

	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.config = config_open(NULL, w.loop, &error);
	w.gate = gate_new(&(struct gate_config){
		.loop = w.loop, .config = w.config,
	});
	w.viewers = viewers_new(&(struct viewers_config){
		.loop = w.loop, .config = w.config, .gate = w.gate,
		.on_changes = count_changes,
	});
}

static inline void tear_down(void)
{
	viewers_free(&w.viewers);
	gate_free(&w.gate);
	config_close(&w.config);
	ev_loop_destroy(w.loop);
}

/* A question of a worker; texts that are not set are those of all tests. */
static inline void send_ask(struct viewer_way *way,
			    const struct msg_deliver_ask *ask)
{
	struct msg_deliver_ask all = *ask;

	all.stream = ask->stream != NULL ? ask->stream : "a";
	all.query = ask->query != NULL ? ask->query : "token=anna";
	all.protocol = ask->key != 0 ? "hls" : "http";
	all.peer = "192.0.2.1";
	all.host = all.path = all.agent = "";
	viewers_ask(w.viewers, way, &all, 1);
}

/* Asks about a client of HLS, or a viewer (key 0), with the token of anna. */
static inline void ask_anna(struct viewer_way *way, uint64_t client,
			    uint64_t key)
{
	send_ask(way, &(struct msg_deliver_ask){ .client = client,
						 .key = key });
}

static inline void join_anna(struct viewer_way *way,
			     const struct msg_session *s)
{
	struct msg_deliver_changes changes = { .n_joined = 1 };

	changes.joined[0] = *s;
	changes.joined[0].peer = "192.0.2.1";
	changes.joined[0].login = "anna";
	changes.joined[0].agent = "";
	changes.joined[0].protocol = "hls";
	viewers_report(w.viewers, way, &changes);
}

static inline void report_anna(struct viewer_way *way, uint64_t client,
			       uint64_t key)
{
	join_anna(way, &(struct msg_session){ .client = client, .stream = "a",
					      .key = key });
}

static inline void set_anna(const char *mode)
{
	json_t *all = json_pack("{s:[{s:s}, {s:s, s:s}, {s:s, s:s}], "
				"s:{s:b, s:s}, s:{s:o}}",
		"make_stream", "id", "a", "id", "low", "hls_group", "g",
		"id", "high", "hls_group", "g",
		"auth", "enable", 1, "conlimit_mode", mode,
		"users", "anna", json_pack("{s:b, s:i, s:s, s:i}", "enable", 1,
			"type", 3, "token", "anna", "conlimit", 1));

	set_up();
	config_replace(w.config, all, true);
	json_decref(all);
	viewers_changed(w.viewers);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/component/reconciler_bench.h"

#include "master/config/config.h"
#include "master/config/stream_conf.h"
#include "master/viewers/viewers.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void on_stream_status(const char *id,
                             const struct msg_stream_status *status, void *arg)
{
	struct reconciler_bench *b = arg;

	b->statuses += strcmp(id, "good") == 0;
	if (status->n_inputs != 2)
		return;
	for (size_t i = 0; i < 2; i++) {
		b->inputs[i] = status->inputs[i];
		(void)snprintf(b->peers[i], sizeof b->peers[i], "%s",
			       status->inputs[i].peer != NULL
				       ? status->inputs[i].peer : "");
	}
	b->n_changes = status->n_changes;
	memcpy(b->changes, status->changes, sizeof b->changes);
}

static void on_stopped(void *arg)
{
	struct reconciler_bench *b = arg;

	b->stopped++;
	reconciler_set_viewers(b->reconciler, NULL);
	viewers_free(&b->viewers);
	config_close(&b->config);
	reconciler_free(&b->reconciler);
}

static const struct reconciler_events events = {
	.on_stream_status = on_stream_status,
	.on_stopped = on_stopped,
};

void bench_setup_with(struct reconciler_bench *b, const char *worker_path)
{
	struct errmsg error;

	*b = (struct reconciler_bench){ .loop = ev_loop_new(0) };
	rig_keep_log();
	(void)signal(SIGPIPE, SIG_IGN);
	b->reconciler = reconciler_new(&(struct reconciler_config){
		.loop = b->loop,
		.worker_path = worker_path,
		.events = &events,
		.arg = b,
	});
	b->config = config_open(NULL, b->loop, &error);
	b->viewers = viewers_new(&(struct viewers_config){
		.loop = b->loop,
		.config = b->config,
		.backend = reconciler_backend(b->reconciler),
	});
	reconciler_set_viewers(b->reconciler, b->viewers);
}

void bench_setup(struct reconciler_bench *b)
{
	bench_setup_with(b, rig_built("tests/component/fake_worker"));
}

bool bench_is_stopped(void *arg)
{
	return ((struct reconciler_bench *)arg)->stopped > 0;
}

void bench_teardown(struct reconciler_bench *b)
{
	if (b->reconciler != NULL) {
		reconciler_stop(b->reconciler);
		rig_run_until(b->loop, bench_is_stopped, b, 5000, "stopped");
	}
	cr_assert_eq(b->stopped, 1);
	cr_assert_eq(rig_count_children(), 0, "an orphan is left");
	ev_loop_destroy(b->loop);
}

void bench_set_stream(struct reconciler_bench *b, const char *id,
		      const json_t *stream)
{
	struct stream_conf *conf = stream_conf_new(stream);

	reconciler_set_stream(b->reconciler, id, conf);
	stream_conf_free(&conf);
}

void bench_set(struct reconciler_bench *b, const char *id, const char *output)
{
	json_t *stream =
		json_pack("{s:s, s:s, s:b, s:[s], s:[]}", "id", id, "name", id,
	                  "enable", 1, "input", "udp://127.0.0.1:1", "output");

	if (output != NULL)
		json_array_append_new(json_object_get(stream, "output"),
		                      json_string(output));
	bench_set_stream(b, id, stream);
	json_decref(stream);
}

struct stream_proc_info bench_get(struct reconciler_bench *b, const char *id)
{
	struct stream_proc_info s;

	cr_assert(reconciler_get_stream(b->reconciler, id, &s),
		  "%s is not known", id);
	return s;
}

static bool is_in_state(void *arg)
{
	struct wish *w = arg;
	struct stream_proc_info s = bench_get(w->bench, w->id);

	return strcmp(s.state, w->state) == 0 && s.pid != w->not_pid;
}

void bench_await(struct reconciler_bench *b, const char *id, const char *state,
		 int not_pid, unsigned ms)
{
	struct wish w = { b, id, state, not_pid, 0 };

	rig_run_until(b->loop, is_in_state, &w, ms, state);
}

static bool has_ended(void *arg)
{
	struct wish *w = arg;

	return bench_get(w->bench, w->id).restarts >= w->count;
}

void bench_await_ends(struct reconciler_bench *b, const char *id, unsigned n,
		      unsigned ms)
{
	struct wish w = { .bench = b, .id = id, .count = n };

	rig_run_until(b->loop, has_ended, &w, ms, "it ends");
}

static bool has_status(void *arg)
{
	struct wish *w = arg;

	return w->bench->statuses >= w->count;
}

void bench_await_statuses(struct reconciler_bench *b, unsigned n)
{
	struct wish w = { .bench = b, .count = b->statuses + n };

	rig_run_until(b->loop, has_status, &w, 5000, "status continues");
}

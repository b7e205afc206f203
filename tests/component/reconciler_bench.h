/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real reconciler with workers whose stream id selects their behaviour. */
#pragma once

#include "master/streams/reconciler.h"

#include <jansson.h>
#include <stdbool.h>

struct reconciler_bench {
	struct ev_loop *loop;
	struct reconciler *reconciler;
	struct config *config;   /* empty: everybody may watch */
	struct viewers *viewers;
	unsigned statuses; /* of the stream "good" */
	/* The inputs of the last status that had two, and its changes; without
	 * the strings but for the peers. */
	struct msg_input_status inputs[2];
	char peers[2][32];
	size_t n_changes;
	struct msg_alarm_change changes[MSG_CHANGES_MAX];
	unsigned stopped;
};

void bench_setup(struct reconciler_bench *);
/* With another program than the fake worker. */
void bench_setup_with(struct reconciler_bench *, const char *worker_path);
/* Stops the reconciler, if that was not done; no worker may remain. */
void bench_teardown(struct reconciler_bench *);
bool bench_is_stopped(void *bench);

void bench_set_stream(struct reconciler_bench *, const char *id,
		      const json_t *stream);
/* output may be NULL. */
void bench_set(struct reconciler_bench *, const char *id, const char *output);
struct stream_proc_info bench_get(struct reconciler_bench *, const char *id);

/* The condition of a test: arg of rig_run_until(). */
struct wish {
	struct reconciler_bench *bench;
	const char *id;
	const char *state;
	int not_pid;
	unsigned count;
};

/* Until the stream is in that state, with another pid than not_pid. */
void bench_await(struct reconciler_bench *, const char *id, const char *state,
		 int not_pid, unsigned ms);
void bench_await_ends(struct reconciler_bench *, const char *id, unsigned n,
		      unsigned ms);
/* n more of the stream "good". */
void bench_await_statuses(struct reconciler_bench *, unsigned n);

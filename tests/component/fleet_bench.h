/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real fleet with workers that behave as their stream's id says. */
#pragma once

#include "master/streams/reconciler.h"

#include <stdbool.h>

struct fleet_bench {
	struct ev_loop *loop;
	struct fleet *fleet;
	unsigned statuses; /* of the stream "good" */
	unsigned stopped;
};

void bench_setup(struct fleet_bench *);
/* With another program than the fake worker. */
void bench_setup_with(struct fleet_bench *, const char *worker_path);
/* Stops the fleet, if that was not done; nobody may be left. */
void bench_teardown(struct fleet_bench *);
bool bench_is_stopped(void *bench);

/* output may be NULL. */
void bench_set(struct fleet_bench *, const char *id, const char *output);
struct fleet_stream bench_get(struct fleet_bench *, const char *id);

/* What a test waits for: arg of rig_run_until(). */
struct wish {
	struct fleet_bench *bench;
	const char *id;
	const char *state;
	int not_pid;
	unsigned count;
};

/* Until the stream is in that state, with another pid than not_pid. */
void bench_await(struct fleet_bench *, const char *id, const char *state,
		 int not_pid, unsigned ms);
void bench_await_ends(struct fleet_bench *, const char *id, unsigned n,
		      unsigned ms);
/* n more of the stream "good". */
void bench_await_statuses(struct fleet_bench *, unsigned n);

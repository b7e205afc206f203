/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A reconciler adopts or ends the workers of its predecessor. */
#include "common/base/fd.h"
#include "common/supervise/handover.h"
#include "tests/component/reconciler_bench.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct two {
	struct reconciler_bench old; /* stops once it has written */
	struct reconciler_bench next; /* adopts */
	json_t *written;
};

/* The descriptors as exec would leave them, beside the old reconciler's own. */
static json_t *double_fds(const json_t *fds)
{
	json_t *doubled = json_object();
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)fds, name, value) {
		int fd = dup((int)json_integer_value(value));

		cr_assert_geq(fd, 0);
		(void)json_object_set_new(doubled, name, json_integer(fd));
	}
	return doubled;
}

static void write_down(struct two *t)
{
	uint64_t last = 0;
	struct handover *h = handover_new(&last);

	reconciler_write(t->old.reconciler, h);
	t->written = json_deep_copy(handover_document(h));
	(void)json_object_set_new(t->written, "fds",
				  double_fds(handover_fds(h)));
	handover_free(&h);
}

/* The output of "good2". */
static const char *viewers(void)
{
	static char url[64];

	(void)snprintf(url, sizeof url, "http://%s:8000/a", rig_host());
	return url;
}

static void begin(struct two *t)
{
	bench_setup(&t->old);
	bench_set(&t->old, "good", NULL);
	bench_set(&t->old, "good2", viewers());
	bench_await(&t->old, "good", "running", 0, 5000);
	bench_await(&t->old, "good2", "running", 0, 5000);
	write_down(t);
}

/* Adopts t->written; the old reconciler is never run again. */
static void take_up(struct two *t)
{
	struct errmsg why = { 0 };
	struct handover *h = handover_of(json_incref(t->written), &why);

	cr_assert_not_null(h, "%s", why.text);
	bench_setup(&t->next);
	reconciler_adopt(t->next.reconciler, h);
	handover_free(&h);
}

static void end(struct two *t)
{
	json_decref(t->written);
	bench_teardown(&t->next);
}

static bool has_one_child(void *arg)
{
	(void)arg;
	return rig_count_children() == 1;
}

static json_t *first_stream(struct two *t)
{
	return json_array_get(json_object_get(t->written, "streams"), 0);
}

Test(handover, unchanged_workers_continue, .timeout = 90)
{
	static struct two t;
	int pid, pid2;

	begin(&t);
	pid = bench_get(&t.old, "good").pid;
	pid2 = bench_get(&t.old, "good2").pid;
	take_up(&t);
	bench_set(&t.next, "good", NULL);
	bench_set(&t.next, "good2", viewers());
	reconciler_settle(t.next.reconciler);
	cr_assert_eq(bench_get(&t.next, "good").pid, pid);
	cr_assert_str_eq(bench_get(&t.next, "good").state, "running");
	bench_await_statuses(&t.next, 4);
	cr_assert_eq(bench_get(&t.next, "good").pid, pid);
	cr_assert_eq(bench_get(&t.next, "good2").pid, pid2);
	cr_assert_null(bench_get(&t.next, "good2").output_errors[0]);
	cr_assert_eq(rig_count_children(), 3, "two and deliver");

	/* and is from now on a worker like any other */
	cr_assert_eq(kill(pid, SIGKILL), 0);
	bench_await(&t.next, "good", "running", pid, 1500);
	cr_assert_eq(bench_get(&t.next, "good").restarts, 1);
	end(&t);
}

Test(handover, changed_workers_are_replaced_and_removed_ones_end, .timeout = 90)
{
	static struct two t;
	int pid;

	begin(&t);
	pid = bench_get(&t.old, "good").pid;
	take_up(&t);
	bench_set(&t.next, "good", "udp://127.0.0.1:9");
	reconciler_settle(t.next.reconciler);
	bench_await(&t.next, "good", "running", pid, 5000);
	rig_run_until(t.next.loop, has_one_child, NULL, 5000, "one is left");
	end(&t);
}

Test(handover, a_worker_without_a_stream_is_ended, .timeout = 90)
{
	static struct two t;
	int pid;

	begin(&t);
	pid = bench_get(&t.old, "good").pid;
	(void)json_object_del(first_stream(&t), "worker");
	take_up(&t);
	bench_set(&t.next, "good", NULL);
	reconciler_settle(t.next.reconciler);
	bench_await(&t.next, "good", "running", pid, 5000);
	rig_run_until(t.next.loop, has_one_child, NULL, 5000, "one is left");
	end(&t);
}

Test(handover, invalid_descriptors_cost_only_their_worker, .timeout = 90)
{
	/* an invalid channel; a ring in its place; another protocol */
	static const char *const spoilt[] = { "p", "r", "proto" };

	for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
		static struct two t;
		json_t *worker, *ring;
		int pid;

		begin(&t);
		pid = bench_get(&t.old, "good").pid;
		worker = json_object_get(first_stream(&t), "worker");
		ring = json_object_get(
			json_array_get(json_object_get(t.written, "streams"),
				       1),
			"ring");
		if (*spoilt[i] == 'p' && spoilt[i][1] == '\0')
			(void)json_object_set(worker, "channel",
					      json_object_get(worker, "child"));
		else if (*spoilt[i] == 'r')
			(void)json_object_set(worker, "channel", ring);
		else
			(void)json_object_set_new(t.written, "proto",
						  json_integer(1));
		take_up(&t);
		bench_set(&t.next, "good", NULL);
		reconciler_settle(t.next.reconciler);
		bench_await(&t.next, "good", "running", pid, 5000);
		rig_run_until(t.next.loop, has_one_child, NULL, 5000,
			      "one is left");
		end(&t);
	}
}

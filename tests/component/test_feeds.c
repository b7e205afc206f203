/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The feeds of a multiplex: processes of their own, one stream for others. */
#include "tests/component/reconciler_bench.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

/* The first input is a stream, the second one has a feed. */
static void set(struct reconciler_bench *b, const char *id, bool enable)
{
	json_t *stream = json_pack(
		"{s:s, s:s, s:s, s:b, s:i, s:[s, s], s:[]}", "id", id, "name",
		id, "type", "mpts", "enable", enable, "bitrate", 9000, "input",
		"stream://good", "udp://127.0.0.1:1", "output");

	bench_set_stream(b, id, stream);
	json_decref(stream);
}

static bool has_feed(void *arg)
{
	return rig_find_child(arg) != 0;
}

static bool has_no_feed(void *arg)
{
	return rig_find_child(arg) == 0;
}

static void await_process(struct reconciler_bench *b, const char *text)
{
	rig_run_until(b->loop, has_feed, (void *)(uintptr_t)text, 5000, text);
}

static void await_end(struct reconciler_bench *b, const char *text)
{
	rig_run_until(b->loop, has_no_feed, (void *)(uintptr_t)text, 5000,
		      text);
}

struct another {
	const char *text;
	pid_t than;
};

static bool is_another(void *arg)
{
	const struct another *a = arg;
	pid_t pid = rig_find_child(a->text);

	return pid != 0 && pid != a->than;
}

static void await_another(struct reconciler_bench *b, const char *text,
			  pid_t than)
{
	struct another a = { text, than };

	rig_run_until(b->loop, is_another, &a, 5000, "another process");
}

static bool reports_source(void *arg)
{
	const struct reconciler_bench *b = arg;

	return b->inputs[1].lost == 7;
}

Test(feeds, the_input_shows_the_numbers_of_its_source, .timeout = 90)
{
	struct reconciler_bench b;

	bench_setup(&b);
	bench_set(&b, "good", NULL);
	set(&b, "mpts", true);
	rig_run_until(b.loop, reports_source, &b, 5000, "the source");
	cr_expect_str_eq(b.peers[1], "192.0.2.7:1");
	cr_expect_eq(b.inputs[1].position, 2u);
	cr_expect_eq(b.inputs[1].received_kbps, 5000u);
	cr_expect_eq(b.inputs[1].alarms, 8u);
	/* a stream:// input has none but its own */
	cr_expect_str_eq(b.peers[0], "192.0.2.1:1");
	cr_expect_eq(b.inputs[0].lost, 1u);
	cr_assert_eq(b.n_changes, 2u);
	cr_expect_eq(b.changes[0].place, 1u);
	cr_expect_eq(b.changes[0].count, 1u);
	cr_expect_eq(b.changes[1].place, 2u);
	cr_expect_eq(b.changes[1].count, 7u);
	bench_teardown(&b);
}

static bool is_alarm(void *arg)
{
	struct reconciler_bench *b = arg;

	return bench_get(b, "mpts-dies").alarm != NULL;
}

Test(feeds, a_feed_that_fails_is_an_alarm_of_the_stream, .timeout = 90)
{
	struct stream_proc_info s;
	struct reconciler_bench b;

	bench_setup(&b);
	set(&b, "mpts-dies", true);
	bench_await(&b, "mpts-dies", "running", 0, 5000);
	/* five failures, with pauses of 1, 2 and 4 s */
	rig_run_until(b.loop, is_alarm, &b, 15000, "the alarm");
	s = bench_get(&b, "mpts-dies");
	cr_expect(strncmp(s.alarm, "input 2: 5 failures", 19) == 0, "%s",
		  s.alarm);
	cr_expect_str_eq(s.state, "running");
	cr_expect_geq(s.restarts, 5u);
	bench_teardown(&b);
}

Test(feeds, a_restart_by_hand_renews_all_processes, .timeout = 90)
{
	struct reconciler_bench b;
	pid_t mux, feed;

	bench_setup(&b);
	set(&b, "mpts", true);
	bench_await(&b, "mpts", "running", 0, 5000);
	await_process(&b, "stream mpts/2");
	mux = bench_get(&b, "mpts").pid;
	feed = rig_find_child("stream mpts/2");
	reconciler_restart_stream(b.reconciler, "mpts");
	bench_await(&b, "mpts", "running", mux, 5000);
	await_another(&b, "stream mpts/2", feed);
	bench_teardown(&b);
}

Test(feeds, they_are_no_streams_and_follow_theirs, .timeout = 90)
{
	struct stream_proc_info s;
	struct reconciler_bench b;
	unsigned workers, viewers;
	pid_t feed;

	bench_setup(&b);
	set(&b, "mpts", true);
	bench_await(&b, "mpts", "running", 0, 5000);
	await_process(&b, "stream mpts/2");
	feed = rig_find_child("stream mpts/2");
	cr_expect_eq(rig_find_child("stream mpts/1"), 0);
	cr_expect(!reconciler_get_stream(b.reconciler, "mpts/2", &s));
	cr_expect_eq(reconciler_ring(b.reconciler, "mpts/2"), -1);
	/* another id: the process stays */
	reconciler_rename_stream(b.reconciler, "mpts", "mpts-b");
	set(&b, "mpts-b", true);
	rig_run_for(b.loop, 100);
	cr_expect_eq(rig_find_child("stream mpts/2"), feed);
	reconciler_totals(b.reconciler, &workers, &viewers);
	cr_expect_geq(workers, 2u);
	/* it ends with its stream, and without it */
	set(&b, "mpts-b", false);
	await_end(&b, "mpts");
	set(&b, "mpts-b", true);
	await_process(&b, "stream mpts-b/2");
	reconciler_remove_stream(b.reconciler, "mpts-b");
	await_end(&b, "mpts");
	bench_teardown(&b);
}

Test(feeds, a_multiplex_has_its_own_role_and_no_message_about_one_input,
     .timeout = 90)
{
	struct reconciler_bench b;

	bench_setup(&b);
	set(&b, "mpts", true);
	bench_await(&b, "mpts", "running", 0, 5000);
	cr_expect_eq(rig_find_child("mux mpts"), bench_get(&b, "mpts").pid);
	cr_expect_eq(rig_find_child("stream mpts "), 0);
	set(&b, "mpts-switches", true);
	bench_await_ends(&b, "mpts-switches", 1, 5000);
	cr_expect_gt(rig_count_log("it sent a message of another role"), 0u);
	bench_teardown(&b);
}

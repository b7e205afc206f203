/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/analysis_request.h"

#include "tests/unit/master/streams/channel_rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

struct rig {
	struct channel_rig pair;
	struct analysis *analysis;
	enum msg_type asked, reply;
	struct msg_stream_analyze last;
	uint32_t seq;
	unsigned answers;
	json_t *answer;
	char why[64];
};

static void on_request(const struct msg *m, void *arg)
{
	struct rig *r = arg;

	/* both requests have the same fields */
	r->asked = m->type;
	r->last = m->stream_analyze;
	r->seq = m->seq;
}

static void rig_init(struct rig *r)
{
	*r = (struct rig){ .reply = MSG_STREAM_ANALYSIS };
	channel_rig_init(&r->pair, on_request, r);
	r->analysis = analysis_new(r->pair.loop);
}

static void rig_done(struct rig *r)
{
	analysis_free(&r->analysis);
	channel_rig_done(&r->pair);
	json_decref(r->answer);
}

static void on_answer(json_t *answer, const char *why, void *arg)
{
	struct rig *r = arg;

	r->answers++;
	r->answer = json_incref(answer);
	if (why != NULL)
		(void)strncpy(r->why, why, sizeof r->why - 1);
}

static void wait_for(struct rig *r, unsigned heard)
{
	channel_rig_wait(&r->pair, &r->pair.heard, heard);
}

static int ask(struct rig *r, size_t n_inputs)
{
	struct analysis_scope scope = { ANALYSIS_PACKETS, n_inputs };

	return analysis_ask(r->analysis, r->pair.master, scope, on_answer, r);
}

/* A part with this one PID. */
static void hear(struct rig *r, unsigned pid, unsigned next)
{
	json_t *report = json_pack("{s:[{s:i}]}", "pids", "pid", (int)pid);

	analysis_answer(r->analysis, r->pair.master, &(struct msg){
		.type = r->reply, .seq = r->seq,
		.stream_analysis = { next, report } });
	json_decref(report);
}

static json_int_t pid_at(const json_t *report, size_t i)
{
	const json_t *pids = json_object_get(report, "pids");

	return json_integer_value(json_object_get(json_array_get(pids, i),
						  "pid"));
}

Test(analysis, is_put_together_of_its_parts)
{
	const json_t *inputs;
	struct rig r;

	rig_init(&r);
	cr_assert_eq(ask(&r, 2), 0);
	wait_for(&r, 1);
	cr_assert_eq(r.asked, MSG_STREAM_ANALYZE);
	cr_assert(r.last.place == 1 && r.last.from == 0);
	hear(&r, 7, 100);
	wait_for(&r, 2);
	cr_assert(r.last.place == 1 && r.last.from == 100);
	hear(&r, 100, 0);
	wait_for(&r, 3);
	cr_assert(r.last.place == 2 && r.last.from == 0);
	hear(&r, 8, 0);
	wait_for(&r, 4);
	cr_assert(r.last.place == 0 && r.last.from == 0);
	cr_assert_eq(r.answers, 0);
	hear(&r, 9, 0);
	cr_assert_eq(r.answers, 1);

	inputs = json_object_get(r.answer, "inputs");
	cr_assert_eq(json_array_size(inputs), 2);
	cr_assert_eq(pid_at(json_array_get(inputs, 0), 0), 7);
	cr_assert_eq(pid_at(json_array_get(inputs, 0), 1), 100);
	cr_assert_eq(pid_at(json_array_get(inputs, 1), 0), 8);
	cr_assert_eq(pid_at(json_object_get(r.answer, "output"), 0), 9);
	/* once */
	hear(&r, 9, 0);
	cr_assert_eq(r.answers, 1);
	rig_done(&r);
}

Test(analysis, of_the_plan_has_no_output)
{
	struct analysis_scope plan = { ANALYSIS_PLAN, 2 };
	const json_t *inputs;
	struct rig r;

	rig_init(&r);
	cr_assert_eq(analysis_ask(r.analysis, r.pair.master, plan, on_answer,
				  &r), 0);
	wait_for(&r, 1);
	cr_assert_eq(r.asked, MSG_STREAM_PLAN);
	cr_assert(r.last.place == 1 && r.last.from == 0);
	/* not the reply to this request */
	hear(&r, 1, 0);
	r.reply = MSG_STREAM_PLANNED;
	hear(&r, 7, 100);
	wait_for(&r, 2);
	cr_assert(r.last.place == 1 && r.last.from == 100);
	hear(&r, 100, 0);
	wait_for(&r, 3);
	cr_assert(r.last.place == 2 && r.last.from == 0);
	cr_assert_eq(r.answers, 0);
	hear(&r, 8, 0);
	cr_assert_eq(r.answers, 1);
	inputs = json_object_get(r.answer, "inputs");
	cr_assert_eq(json_array_size(inputs), 2);
	cr_assert_eq(pid_at(json_array_get(inputs, 0), 0), 7);
	cr_assert_eq(pid_at(json_array_get(inputs, 0), 1), 100);
	cr_assert_eq(pid_at(json_array_get(inputs, 1), 0), 8);
	cr_assert_null(json_object_get(r.answer, "output"));
	rig_done(&r);
}

Test(analysis, continues_only_forwards_and_to_an_end)
{
	struct rig r;

	rig_init(&r);
	cr_assert_eq(ask(&r, 0), 0);
	wait_for(&r, 1);
	hear(&r, 1, 5);
	wait_for(&r, 2);
	hear(&r, 1, 5);
	cr_assert_eq(r.answers, 1);
	cr_assert_not_null(r.answer);
	json_decref(r.answer);
	r.answer = NULL;

	cr_assert_eq(ask(&r, 0), 0);
	for (unsigned i = 1; r.answers == 1; i++) {
		wait_for(&r, i + 2);
		hear(&r, i, i);
		cr_assert_leq(i, ANALYSIS_PARTS_MAX);
	}
	cr_assert_null(r.answer);
	cr_assert_str_eq(r.why, "the worker of the stream sent too many parts");
	rig_done(&r);
}

Test(analysis, is_answered_when_the_worker_ends)
{
	struct rig r;

	rig_init(&r);
	for (unsigned i = 0; i < ANALYSIS_MAX; i++)
		cr_assert_eq(ask(&r, 1), 0);
	cr_assert_eq(ask(&r, 1), -EBUSY);
	analysis_down(r.analysis);
	cr_assert_eq(r.answers, ANALYSIS_MAX);
	cr_assert_str_eq(r.why, "the worker of the stream has ended");
	rig_done(&r);
	cr_assert_eq(r.answers, ANALYSIS_MAX);
}

Test(analysis, is_answered_when_the_worker_is_silent)
{
	struct rig r;

	rig_init(&r);
	cr_assert_eq(ask(&r, 1), 0);
	channel_rig_wait(&r.pair, &r.answers, 1);
	cr_assert_null(r.answer);
	cr_assert_str_eq(r.why,
			 "no answer from the worker of the stream within 3 s");
	rig_done(&r);
}

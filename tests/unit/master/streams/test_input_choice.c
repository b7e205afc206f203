/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/input_choice.h"

#include "tests/unit/master/streams/channel_rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

struct rig {
	struct channel_rig pair;
	struct input_choice *choice;
	unsigned positions[4];
	uint32_t seqs[4];
	unsigned answers, position;
	char why[64];
};

static void on_request(const struct msg *m, void *arg)
{
	struct rig *r = arg;

	cr_assert_eq(m->type, MSG_STREAM_INPUT);
	r->positions[r->pair.heard] = m->stream_input.position;
	r->seqs[r->pair.heard] = m->seq;
}

static void rig_init(struct rig *r)
{
	*r = (struct rig){ 0 };
	channel_rig_init(&r->pair, on_request, r);
	r->choice = input_choice_new(r->pair.loop);
}

static void rig_done(struct rig *r)
{
	input_choice_free(&r->choice);
	channel_rig_done(&r->pair);
}

static void on_choice(unsigned position, const char *why, void *arg)
{
	struct rig *r = arg;

	r->answers++;
	r->position = position;
	(void)strncpy(r->why, why, sizeof r->why - 1);
}

static void ask(struct rig *r, unsigned position)
{
	unsigned heard = r->pair.heard;

	cr_assert_eq(input_choice_ask(r->choice, r->pair.master, position,
				      on_choice, r), 0);
	channel_rig_wait(&r->pair, &r->pair.heard, heard + 1);
}

Test(input_choice, is_answered_by_the_worker)
{
	const struct msg_stream_chosen late = { 2, NULL };
	struct rig r;

	rig_init(&r);
	ask(&r, 3);
	ask(&r, 0);
	cr_assert_eq(r.positions[0], 3);
	cr_assert_eq(r.positions[1], 0);
	cr_assert_eq(r.answers, 0);
	cr_assert(input_choice_answer(r.choice, r.seqs[1],
				      &(struct msg_stream_chosen){ 2, NULL }));
	cr_assert_eq(r.position, 2);
	cr_assert(input_choice_answer(r.choice, r.seqs[0],
				      &(struct msg_stream_chosen){ 0, "no" }));
	cr_assert_eq(r.position, 0);
	cr_assert_str_eq(r.why, "no");
	cr_assert_eq(r.answers, 2);
	/* once */
	cr_assert_not(input_choice_answer(r.choice, r.seqs[0], &late));
	rig_done(&r);
}

Test(input_choice, is_answered_when_the_worker_ends)
{
	struct rig r;

	rig_init(&r);
	ask(&r, 1);
	ask(&r, 2);
	input_choice_down(r.choice);
	cr_assert_eq(r.answers, 2);
	cr_assert_eq(r.position, 0);
	cr_assert_str_eq(r.why, "the worker of the stream has ended");
	rig_done(&r);
	cr_assert_eq(r.answers, 2);
}

Test(input_choice, is_answered_when_the_worker_is_silent)
{
	struct rig r;

	rig_init(&r);
	ask(&r, 1);
	channel_rig_wait(&r.pair, &r.answers, 1);
	cr_assert_eq(r.position, 0);
	cr_assert_str_eq(r.why,
			 "no answer from the worker of the stream within 3 s");
	rig_done(&r);
}

Test(input_choice, is_not_asked_without_an_end)
{
	struct rig r;

	rig_init(&r);
	for (unsigned i = 0; i < INPUT_CHOICE_MAX; i++)
		cr_assert_eq(input_choice_ask(r.choice, r.pair.master, 1,
					      on_choice, &r), 0);
	cr_assert_eq(input_choice_ask(r.choice, r.pair.master, 1, on_choice,
				      &r), -EBUSY);
	input_choice_down(r.choice);
	cr_assert_eq(r.answers, INPUT_CHOICE_MAX);
	rig_done(&r);
}

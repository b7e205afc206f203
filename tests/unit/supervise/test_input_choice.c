/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/supervise/input_choice.h"

#include "common/fd.h"
#include "common/mono.h"
#include "proto/channel.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <string.h>

enum { PATIENCE_MS = 10000 };

/* The master's end of a channel, and a worker that only notes what it hears. */
struct rig {
	struct ev_loop *loop;
	struct channel *master, *worker;
	struct input_choice *choice;
	unsigned heard, positions[4];
	uint32_t seqs[4];
	unsigned answers, position;
	char why[64];
};

static void on_request(struct channel *c, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	struct rig *r = arg;

	(void)c, (void)fds, (void)n_fds;
	cr_assert_eq(m->type, MSG_STREAM_INPUT);
	r->positions[r->heard] = m->stream_input.position;
	r->seqs[r->heard++] = m->seq;
}

static void on_nothing(struct channel *c, const struct msg *m, int *fds,
		       size_t n_fds, void *arg)
{
	(void)c, (void)m, (void)fds, (void)n_fds, (void)arg;
}

static void on_close(struct channel *c, int err, const char *why, void *arg)
{
	(void)c, (void)err, (void)why, (void)arg;
}

static const struct channel_events worker_events = {
	.on_message = on_request, .on_close = on_close };
static const struct channel_events master_events = {
	.on_message = on_nothing, .on_close = on_close };

static void rig_init(struct rig *r)
{
	int fds[2];

	*r = (struct rig){ .loop = ev_loop_new(EVFLAG_AUTO) };
	cr_assert_eq(fd_seqpacket_pair(fds), 0);
	r->master = channel_new(&(struct channel_config){
		.loop = r->loop, .fd = fds[0], .hear = MSG_TO_MASTER,
		.events = &master_events, .arg = r });
	r->worker = channel_new(&(struct channel_config){
		.loop = r->loop, .fd = fds[1], .hear = MSG_TO_WORKER,
		.events = &worker_events, .arg = r });
	r->choice = input_choice_new(r->loop);
}

static void rig_done(struct rig *r)
{
	input_choice_free(&r->choice);
	channel_free(&r->master);
	channel_free(&r->worker);
	ev_loop_destroy(r->loop);
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
	unsigned heard = r->heard;
	uint64_t end = mono_ms() + PATIENCE_MS;

	cr_assert_eq(input_choice_ask(r->choice, r->master, position,
				      on_choice, r), 0);
	while (r->heard == heard) {
		cr_assert_lt(mono_ms(), end);
		ev_run(r->loop, EVRUN_ONCE);
	}
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
	cr_assert(input_choice_hear(r.choice, r.seqs[1],
				    &(struct msg_stream_chosen){ 2, NULL }));
	cr_assert_eq(r.position, 2);
	cr_assert(input_choice_hear(r.choice, r.seqs[0],
				    &(struct msg_stream_chosen){ 0, "no" }));
	cr_assert_eq(r.position, 0);
	cr_assert_str_eq(r.why, "no");
	cr_assert_eq(r.answers, 2);
	/* once */
	cr_assert_not(input_choice_hear(r.choice, r.seqs[0], &late));
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
	cr_assert_str_eq(r.why, "the stream's worker has ended");
	rig_done(&r);
	cr_assert_eq(r.answers, 2);
}

Test(input_choice, is_answered_when_the_worker_is_silent)
{
	struct rig r;
	uint64_t end = mono_ms() + PATIENCE_MS;

	rig_init(&r);
	ask(&r, 1);
	while (r.answers == 0) {
		cr_assert_lt(mono_ms(), end);
		ev_run(r.loop, EVRUN_ONCE);
	}
	cr_assert_eq(r.position, 0);
	cr_assert_str_eq(r.why, "the stream's worker does not answer");
	rig_done(&r);
}

Test(input_choice, is_not_asked_without_an_end)
{
	struct rig r;

	rig_init(&r);
	for (unsigned i = 0; i < INPUT_CHOICE_MAX; i++)
		cr_assert_eq(input_choice_ask(r.choice, r.master, 1,
					      on_choice, &r), 0);
	cr_assert_eq(input_choice_ask(r.choice, r.master, 1, on_choice, &r),
		     -EBUSY);
	input_choice_down(r.choice);
	cr_assert_eq(r.answers, INPUT_CHOICE_MAX);
	rig_done(&r);
}

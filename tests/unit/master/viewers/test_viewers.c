/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/viewers/viewers.h"

#include "common/base/errmsg.h"
#include "master/config/config.h"
#include "master/streams/stream_proc_state.h"

#include <criterion/criterion.h>
#include <ev.h>

enum { MOST = 3 };

static struct world {
	struct ev_loop *loop;
	struct config *config; /* empty: everybody may watch */
	struct viewers *viewers;
	enum ask_verdict verdict; /* of the last answer */
	unsigned answers;
} w;

static void take(const struct msg *m, void *arg)
{
	(void)arg;
	if (m->type != MSG_DELIVER_ANSWER)
		return;
	w.verdict = m->deliver_answer.verdict;
	w.answers++;
}

static void set_up(void)
{
	struct errmsg error;

	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.config = config_open(NULL, w.loop, &error);
	w.viewers = viewers_new(&(struct viewers_config){
		.loop = w.loop, .config = w.config,
	});
}

static void tear_down(void)
{
	viewers_free(&w.viewers);
	config_close(&w.config);
	ev_loop_destroy(w.loop);
}

static enum ask_verdict ask(struct viewer_way *way, uint64_t client)
{
	unsigned before = w.answers;

	viewers_ask(w.viewers, way, &(struct msg_deliver_ask){
		.client = client, .stream = "a", .peer = "192.0.2.1",
		.host = "", .path = "", .query = "", .agent = "",
		.protocol = "srt", .free = true,
	}, 1);
	cr_assert_eq(w.answers, before + 1);
	return w.verdict;
}

static void report(struct viewer_way *way, uint64_t joined, uint64_t left)
{
	struct msg_deliver_changes changes = {
		.n_joined = joined != 0, .n_left = left != 0,
		.joined = { { .client = joined, .stream = "a",
			      .peer = "192.0.2.1", .login = "", .agent = "",
			      .protocol = "srt" } },
		.left = { left },
	};

	viewers_report(w.viewers, way, &changes);
}

Test(viewers, a_worker_has_no_more_viewers_than_it_may_have)
{
	struct viewer_way one = { .send = take, .max = MOST };
	struct viewer_way other = { .send = take };

	set_up();
	viewers_up(w.viewers, &one);
	viewers_up(w.viewers, &other);
	for (uint64_t i = 1; i <= MOST; i++)
		cr_assert_eq(ask(&one, i), ASK_ALLOWED);
	cr_assert_eq(ask(&one, MOST + 1), ASK_BUSY);
	report(&one, MOST + 2, 0);
	cr_assert_eq(one.n, (size_t)MOST);
	cr_assert_eq(ask(&one, 1), ASK_ALLOWED, "it has its place");
	cr_assert_eq(ask(&other, MOST + 1), ASK_ALLOWED);
	/* a viewer leaves its place to another one */
	report(&one, 0, 1);
	cr_assert_eq(ask(&one, MOST + 2), ASK_ALLOWED);
	cr_assert_eq(ask(&one, 1), ASK_BUSY);
	viewers_down(w.viewers, &one);
	cr_assert_eq(one.n, 0u);
	cr_assert_eq(other.n, 1u);
	tear_down();
}

Test(viewers, a_stream_has_as_many_as_its_outputs_serve)
{
	struct stream_proc p = { .removed = false };

	stream_receivers_init(&p);
	cr_assert_eq(p.way.max,
		     (size_t)MSG_OUTPUTS_MAX * MSG_RECEIVERS_MAX);
}

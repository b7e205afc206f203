/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/streams/session_list.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdint.h>

enum { VIEWERS = MSG_SESSIONS_MAX * 2 + 5 };

/* Numbers of the viewers of a worker, from 1 on. */
#define CLIENT(i, worker) ((i) * MSG_DELIVER_MAX + (worker))

/* Deliver workers with many viewers; only the first one, unless n_workers is
 * set. */
static struct world {
	struct ev_loop *loop;
	struct session_list *list;
	struct msg_deliver_sessions page;
	unsigned questions;
	double asked_s;
	uint32_t seq;
	uint64_t after;
	bool asked;
	bool unreachable;
	unsigned n_workers, worker;
	struct errmsg error;
} w;

struct heard {
	unsigned n;
	size_t size;
	json_int_t last, bytes, uptime_s;
	bool nothing;
	bool ask_again;
};

static int ask(unsigned worker, uint64_t after, uint32_t seq, void *arg)
{
	(void)arg;
	if (w.unreachable || worker >= MAX(w.n_workers, 1U))
		return -ENOTCONN;
	/* by the clock of the loop, which a pause is counted by */
	if (w.questions > 0 && worker == w.worker)
		cr_expect_geq(ev_now(w.loop) - w.asked_s, 0.009, "no pause");
	w.questions++;
	w.asked_s = ev_now(w.loop);
	w.worker = worker;
	w.after = after;
	w.seq = seq;
	w.asked = true;
	return 0;
}

static int take(const struct msg_deliver_sessions *sessions, uint32_t seq)
{
	return session_list_answer(w.list, &(struct session_page){
		w.worker, seq, sessions }, &w.error);
}

static void reply(void)
{
	static struct msg_deliver_sessions p;

	p = (struct msg_deliver_sessions){ 0 };
	for (uint64_t i = 1; i <= VIEWERS; i++) {
		if (CLIENT(i, w.worker) <= w.after)
			continue;
		p.more = p.n == MSG_SESSIONS_MAX;
		if (p.more)
			break;
		p.list[p.n++] = (struct msg_session){
			.client = CLIENT(i, w.worker), .stream = "a",
			.peer = "1.2.3.4", .uptime_s = 5 + w.worker,
			.bytes = 100,
		};
	}
	w.asked = false;
	cr_assert_eq(take(&p, w.seq), 0);
}

static void hear(const json_t *sessions, void *arg)
{
	struct heard *h = arg;
	const json_t *last;

	h->n++;
	h->nothing = sessions == NULL;
	h->size = json_array_size(sessions);
	last = json_array_get(sessions, h->size - 1);
	h->last = json_integer_value(json_object_get(last, "client_id"));
	h->bytes = json_integer_value(json_object_get(last, "bytes"));
	h->uptime_s = json_integer_value(json_object_get(last, "uptime"));
	if (h->ask_again)
		session_list_get(w.list, hear, h);
	h->ask_again = false;
}

/* The first and the last viewer of a worker is that of the first worker. */
static uint64_t session_of(uint64_t client, void *arg)
{
	uint64_t at = client / MSG_DELIVER_MAX;

	(void)arg;
	return at == 1 || at == VIEWERS ? CLIENT(at, 0) : client;
}

static void set_up_with(size_t worker_max, size_t max)
{
	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.list = session_list_new(&(struct session_list_config){
		.loop = w.loop, .ask = ask, .session_of = session_of,
		.worker_max = worker_max, .max = max,
	});
}

static void set_up(void)
{
	set_up_with(0, 0);
}

static void tear_down(void)
{
	session_list_free(&w.list);
	cr_assert_null(w.list);
	ev_loop_destroy(w.loop);
}

/* Runs the loop, answering, until h has n answers. */
static void run_until(const struct heard *h, unsigned n)
{
	uint64_t end_ms = mono_ms() + 60000;

	while (h->n < n && mono_ms() < end_ms) {
		if (w.asked)
			reply();
		else
			ev_run(w.loop, EVRUN_ONCE);
	}
	cr_assert_eq(h->n, n);
}

Test(session_list, has_every_viewer_in_pages)
{
	struct heard h = { 0 };

	set_up();
	session_list_get(w.list, hear, &h);
	cr_assert_eq(h.n, 0u, "answered inside the call");
	run_until(&h, 1);
	cr_assert_eq(h.size, (size_t)VIEWERS);
	cr_assert_eq(h.last, CLIENT(VIEWERS, 0));
	cr_assert_eq(w.questions, 3u);
	tear_down();
}

Test(session_list, has_the_viewers_of_all_workers_by_their_sessions)
{
	struct heard h = { 0 };

	set_up();
	w.n_workers = 3;
	session_list_get(w.list, hear, &h);
	run_until(&h, 1);
	cr_assert_eq(h.size, (size_t)3 * VIEWERS - 4);
	cr_assert_eq(h.last, CLIENT(VIEWERS, 0));
	cr_assert_eq(h.bytes, 300);
	cr_assert_eq(h.uptime_s, 7);
	cr_assert_eq(w.questions, 9u);
	tear_down();
}

static void run_until_worker(unsigned worker)
{
	while (!w.asked || w.worker != worker)
		if (w.asked)
			reply();
		else
			ev_run(w.loop, EVRUN_ONCE);
}

Test(session_list, lacks_the_viewers_of_a_worker_that_ended)
{
	struct heard h = { 0 };

	set_up();
	w.n_workers = 3;
	session_list_get(w.list, hear, &h);
	run_until_worker(1);
	/* one that was listed, and the one that is asked */
	session_list_down(w.list, 0);
	session_list_down(w.list, 1);
	run_until(&h, 1);
	cr_assert_eq(h.size, (size_t)VIEWERS);
	tear_down();
}

Test(session_list, has_the_sessions_of_the_one_worker_that_is_left)
{
	struct heard h = { 0 };

	set_up();
	w.n_workers = 2;
	session_list_get(w.list, hear, &h);
	run_until_worker(0);
	session_list_down(w.list, 0);
	run_until(&h, 1);
	cr_assert_eq(h.size, (size_t)VIEWERS);
	cr_assert_eq(h.last, CLIENT(VIEWERS, 0));
	tear_down();
}

Test(session_list, counts_what_each_worker_may_have_for_itself)
{
	struct heard h = { 0 };

	/* reply() expects that each page is accepted */
	set_up_with(VIEWERS, (size_t)3 * VIEWERS);
	w.n_workers = 3;
	for (unsigned i = 1; i <= 2; i++) {
		session_list_get(w.list, hear, &h);
		run_until(&h, i);
		cr_assert_eq(h.size, (size_t)3 * VIEWERS - 4);
	}
	tear_down();
}

Test(session_list, is_none_if_all_workers_have_too_many_together)
{
	struct heard h = { 0 };

	set_up_with(VIEWERS, (size_t)2 * VIEWERS - 1);
	w.n_workers = 2;
	session_list_get(w.list, hear, &h);
	run_until(&h, 1);
	cr_assert(h.nothing);
	/* the next one has room */
	w.n_workers = 1;
	session_list_get(w.list, hear, &h);
	run_until(&h, 2);
	cr_assert_eq(h.size, (size_t)VIEWERS);
	tear_down();
}

Test(session_list, serves_simultaneous_requests_once)
{
	struct heard a = { 0 }, b = { .ask_again = true };

	set_up();
	session_list_get(w.list, hear, &a);
	session_list_get(w.list, hear, &b);
	run_until(&a, 1);
	cr_assert_eq(b.n, 1u);
	cr_assert_eq(w.questions, 3u);
	run_until(&b, 2);
	cr_assert_eq(w.questions, 6u);
	tear_down();
}

Test(session_list, ignores_an_answer_that_is_late)
{
	static const struct msg_deliver_sessions nobody;
	struct heard h = { 0 };

	set_up();
	cr_assert_eq(take(&nobody, 1), 0);
	session_list_get(w.list, hear, &h);
	while (!w.asked)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(take(&nobody, w.seq + 1), 0);
	cr_assert_eq(h.n, 0u);
	run_until(&h, 1);
	cr_assert_eq(h.size, (size_t)VIEWERS);
	tear_down();
}

Test(session_list, is_empty_when_deliver_is_not_there)
{
	struct heard h = { 0 };

	set_up();
	w.unreachable = true;
	session_list_get(w.list, hear, &h);
	run_until(&h, 1);
	cr_assert_not(h.nothing);
	cr_assert_eq(h.size, 0u);
	w.unreachable = false;
	session_list_get(w.list, hear, &h);
	while (!w.asked)
		ev_run(w.loop, EVRUN_ONCE);
	session_list_down(w.list, 0);
	cr_assert_eq(h.n, 2u);
	cr_assert_eq(h.size, 0u);
	tear_down();
}

Test(session_list, is_empty_when_deliver_does_not_answer)
{
	struct heard h = { 0 };
	uint64_t began_ms = mono_ms();

	set_up();
	session_list_get(w.list, hear, &h);
	while (h.n == 0 && mono_ms() < began_ms + 60000)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert(h.nothing);
	cr_assert_geq(mono_ms() - began_ms, 1900u);
	tear_down();
}

Test(session_list, gives_no_answer_when_it_is_freed)
{
	struct heard a = { 0 }, b = { 0 };

	set_up();
	session_list_get(w.list, hear, &a);
	while (!w.asked)
		ev_run(w.loop, EVRUN_ONCE);
	session_list_get(w.list, hear, &b);
	tear_down();
	cr_assert_eq(a.n, 1u);
	cr_assert_eq(b.n, 1u);
	cr_assert(a.nothing);
	cr_assert(b.nothing);
}

/* Answers each request with a full page that another is to follow; the number
 * of pages until the list refuses one, at most limit. */
static unsigned answer_without_end(unsigned limit)
{
	static struct msg_deliver_sessions p;
	uint64_t end_ms = mono_ms() + 60000;
	unsigned n = 0;

	p.n = MSG_SESSIONS_MAX;
	p.more = true;
	while (n < limit && mono_ms() < end_ms) {
		if (!w.asked) {
			ev_run(w.loop, EVRUN_ONCE);
			continue;
		}
		w.asked = false;
		for (uint64_t i = 0; i < p.n; i++)
			p.list[i] = (struct msg_session){
				.client = w.after + CLIENT(i + 1, 0),
				.stream = "a",
				.peer = "::1"
			};
		n++;
		if (take(&p, w.seq) < 0)
			break;
	}
	return n;
}

Test(session_list, has_an_end, .timeout = 60)
{
	struct heard h = { 0 };

	set_up_with((size_t)4 * MSG_SESSIONS_MAX, 0);
	session_list_get(w.list, hear, &h);
	cr_assert_eq(answer_without_end(1000), 5u);
	cr_assert_str_eq(w.error.text,
			 "the list of viewers has more than 512");
	tear_down();
}

Test(session_list, never_goes_back)
{
	static struct msg_deliver_sessions p = {
		.n = 1, .list = { { 7, "a", "::1", 0 } }, .more = true,
	};
	struct heard h = { 0 };

	set_up();
	session_list_get(w.list, hear, &h);
	while (!w.asked)
		ev_run(w.loop, EVRUN_ONCE);
	w.asked = false;
	cr_assert_eq(take(&p, w.seq), 0);
	while (!w.asked)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(take(&p, w.seq), -EPROTO);
	cr_assert_str_eq(w.error.text, "the list of viewers does not continue "
				       "behind client 7");
	tear_down();
}

Test(session_list, stops_when_no_client_waits)
{
	struct heard h = { 0 };
	struct session_wait *mine;
	unsigned pages;

	set_up();
	mine = session_list_get(w.list, hear, &h);
	cr_assert_eq(answer_without_end(3), 3u);
	session_list_forget(&mine);
	cr_assert_null(mine);
	pages = w.questions;
	/* the pause ends, and nothing is left to be done */
	ev_run(w.loop, 0);
	cr_assert_eq(w.questions, pages);
	cr_assert_eq(h.n, 0u);
	/* the next request gets a list of its own */
	session_list_get(w.list, hear, &h);
	run_until(&h, 1);
	cr_assert_eq(h.size, (size_t)VIEWERS);
	tear_down();
}

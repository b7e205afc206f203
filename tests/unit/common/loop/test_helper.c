/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/loop/helper.h"

#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/loop/thread.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 2 };

static struct world {
	struct ev_loop *loop;
	struct helpers *helpers;
	sem_t answer;        /* of the disk, one for each call */
	atomic_uint running; /* threads that wait for it */
	atomic_uint ran, freed;
	atomic_uint eights; /* threads that began call 8 */
	unsigned done;
	unsigned order[8];
	bool frees_helpers;
} w;

static atomic_uint missing_threads;

int __real_thread_start(pthread_t *, void *(*)(void *), void *);
int __wrap_thread_start(pthread_t *, void *(*)(void *), void *);

int __wrap_thread_start(pthread_t *ret, void *(*run)(void *), void *arg)
{
	if (atomic_load(&missing_threads) > 0) {
		atomic_fetch_sub(&missing_threads, 1);
		return -EAGAIN;
	}
	return __real_thread_start(ret, run, arg);
}

static void job_run(void *job)
{
	atomic_fetch_add(&w.eights, *(unsigned *)job == 8);
	atomic_fetch_add(&w.running, 1);
	while (sem_wait(&w.answer) < 0)
		;
	atomic_fetch_add(&w.ran, 1);
}

static void job_done(void *job, void *arg)
{
	cr_assert_eq(arg, &w);
	w.order[w.done++] = *(unsigned *)job;
	if (w.frees_helpers)
		helpers_free(&w.helpers);
}

static void job_free(void *job)
{
	free(job);
	atomic_fetch_add(&w.freed, 1);
}

static bool job_is_same(const void *a, const void *b)
{
	return *(const unsigned *)a == *(const unsigned *)b;
}

static struct helper_call *call(unsigned number)
{
	static const struct helper_kind kind = {
		.run = job_run, .done = job_done, .free = job_free,
		.is_same = job_is_same,
	};
	unsigned *job = xcalloc(1, sizeof *job);

	*job = number;
	return helper_call_new(w.helpers, &kind, job, &w);
}

static void set_up(void)
{
	(void)sem_init(&w.answer, 0, 0);
	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.helpers = helpers_new(w.loop, THREADS);
}

static void tear_down(void)
{
	helpers_free(&w.helpers);
	ev_loop_destroy(w.loop);
}

static void wait_for(const atomic_uint *counter, unsigned n)
{
	uint64_t end_ms = mono_ms() + 60000;

	while (atomic_load(counter) < n && mono_ms() < end_ms)
		(void)sched_yield();
	cr_assert_eq(atomic_load(counter), n);
}

static void run_until_done(unsigned n)
{
	uint64_t end_ms = mono_ms() + 60000;

	while (w.done < n && mono_ms() < end_ms)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(w.done, n);
}

TestSuite(helper, .init = set_up, .fini = tear_down);

Test(helper, a_file_that_does_not_answer_takes_one_thread)
{
	struct helper_call *first = call(7);

	wait_for(&w.running, 1);
	/* its thread is left behind */
	helper_call_cancel(&first);
	(void)call(7);
	(void)call(7);
	(void)call(8);
	wait_for(&w.running, 2);
	cr_assert_eq(atomic_load(&w.eights), 1);
	for (unsigned i = 0; i < 4; i++)
		(void)sem_post(&w.answer);
	run_until_done(3);
	wait_for(&w.freed, 4);
}

Test(helper, calls_beyond_the_limit_wait_for_a_thread)
{
	unsigned sum = 0;

	for (unsigned i = 1; i <= THREADS + 2; i++)
		(void)call(i);
	wait_for(&w.running, THREADS);
	(void)sem_post(&w.answer);
	run_until_done(1);
	/* the place of the first call, and no other */
	wait_for(&w.running, THREADS + 1);
	for (unsigned i = 0; i <= THREADS; i++)
		(void)sem_post(&w.answer);
	run_until_done(THREADS + 2);
	for (unsigned i = 0; i < w.done; i++)
		sum += w.order[i];
	cr_assert_eq(sum, 10u, "each call is reported once");
	wait_for(&w.freed, THREADS + 2);
}

Test(helper, a_cancelled_call_frees_its_place_when_the_disk_answers)
{
	struct helper_call *stuck[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		stuck[i] = call(i);
	wait_for(&w.running, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		helper_call_cancel(&stuck[i]);
	cr_assert_null(stuck[0]);
	(void)call(7);
	ev_run(w.loop, EVRUN_NOWAIT);
	cr_assert_eq(atomic_load(&w.running), (unsigned)THREADS);
	for (unsigned i = 0; i <= THREADS; i++)
		(void)sem_post(&w.answer);
	run_until_done(1);
	cr_assert_eq(w.order[0], 7u);
	wait_for(&w.freed, THREADS + 1);
}

Test(helper, a_waiting_call_can_be_cancelled)
{
	struct helper_call *waiting;

	for (unsigned i = 0; i < THREADS; i++)
		(void)call(i);
	waiting = call(THREADS);
	helper_call_cancel(&waiting);
	wait_for(&w.freed, 1);
	for (unsigned i = 0; i < THREADS; i++)
		(void)sem_post(&w.answer);
	run_until_done(THREADS);
	wait_for(&w.running, THREADS);
}

Test(helper, the_end_of_the_owner_waits_for_no_disk)
{
	(void)call(1);
	wait_for(&w.running, 1);
	helpers_free(&w.helpers);
	cr_assert_null(w.helpers);
	(void)sem_post(&w.answer);
	/* the thread frees its job after the end of the owner */
	wait_for(&w.freed, 1);
	cr_assert_eq(w.done, 0u);
}

Test(helper, done_may_free_the_helpers)
{
	w.frees_helpers = true;
	(void)call(1);
	(void)call(2);
	wait_for(&w.running, 2);
	(void)sem_post(&w.answer);
	(void)sem_post(&w.answer);
	run_until_done(1);
	wait_for(&w.freed, 2);
	cr_assert_null(w.helpers);
}

Test(helper, a_call_without_a_thread_is_tried_again)
{
	atomic_store(&missing_threads, 1);
	(void)call(1);
	cr_assert_eq(atomic_load(&w.running), 0u);
	(void)sem_post(&w.answer);
	run_until_done(1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/document/reader.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <ev.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int __real_document_load(const char *path, json_t **ret, struct errmsg *why);
int __wrap_document_load(const char *path, json_t **ret, struct errmsg *why);

static struct world {
	struct ev_loop *loop;
	struct reader *reader;
	char path[32];
} w;

struct heard {
	unsigned n;
	int result;
	json_int_t value;
	bool ask_again;
};

static void hear(int result, const json_t *document, const struct errmsg *why,
		 void *arg)
{
	struct heard *h = arg;

	cr_assert_eq(result == 0, document != NULL);
	cr_assert_eq(result == 0, why->text[0] == '\0');
	h->n++;
	h->result = result;
	h->value = json_integer_value(json_object_get(document, "a"));
	if (h->ask_again)
		reader_read(w.reader, hear, h);
	h->ask_again = false;
}

static void put(const char *text)
{
	FILE *file = fopen(w.path, "w");

	cr_assert_not_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
}

static void set_up(void)
{
	(void)strcpy(w.path, "/tmp/reader-XXXXXX");
	(void)close(mkstemp(w.path));
	w.loop = ev_loop_new(EVFLAG_AUTO);
	w.reader = reader_new(w.loop, w.path);
}

static void tear_down(void)
{
	reader_free(&w.reader);
	cr_assert_null(w.reader);
	ev_loop_destroy(w.loop);
	(void)unlink(w.path);
}

static void run_until(const struct heard *h, unsigned n)
{
	uint64_t end_ms = mono_ms() + 60000;

	while (h->n < n && mono_ms() < end_ms)
		ev_run(w.loop, EVRUN_ONCE);
	cr_assert_eq(h->n, n);
}

Test(reader, sends_the_content_to_every_client)
{
	struct heard a = { 0 }, b = { .ask_again = true };

	set_up();
	put("{\"a\": 1}");
	reader_read(w.reader, hear, &a);
	reader_read(w.reader, hear, &b);
	cr_assert_eq(a.n, 0u, "reported inside the call");
	run_until(&a, 1);
	cr_assert_eq(a.value, 1);
	/* b requested it again at once and may have received it by now */
	cr_assert_geq(b.n, 1u, "two who ask together are served by one thread");
	put("{\"a\": 2}");
	run_until(&b, 2);
	tear_down();
}

Test(reader, never_sends_content_from_before_the_request)
{
	struct heard a = { 0 }, b = { 0 };

	set_up();
	put("{\"a\": 1}");
	reader_read(w.reader, hear, &a);
	ev_run(w.loop, EVRUN_NOWAIT);
	/* a thread reads, or has read, the first text */
	put("{\"a\": 2}");
	reader_read(w.reader, hear, &b);
	run_until(&b, 1);
	cr_assert_eq(b.value, 2);
	cr_assert_eq(a.n, 1u);
	tear_down();
}

Test(reader, reports_why_it_cannot_read)
{
	struct heard h = { 0 };

	set_up();
	put("{");
	reader_read(w.reader, hear, &h);
	run_until(&h, 1);
	cr_assert_eq(h.result, -EBADMSG);
	cr_assert_eq(unlink(w.path), 0);
	reader_read(w.reader, hear, &h);
	run_until(&h, 2);
	cr_assert_eq(h.result, -ENOENT);
	tear_down();
}

Test(reader, may_be_freed_while_somebody_waits)
{
	struct heard h = { 0 };

	set_up();
	put("{\"a\": 1}");
	reader_read(w.reader, hear, &h);
	ev_run(w.loop, EVRUN_NOWAIT);
	reader_read(w.reader, hear, &h);
	tear_down();
	cr_assert_eq(h.n, 2u);
	cr_assert_eq(h.result, -ECANCELED);
}

static sem_t answer;
static atomic_bool mute, answered;

/* The disk does not answer before the test lets it. */
int __wrap_document_load(const char *path, json_t **ret, struct errmsg *why)
{
	int r;

	if (atomic_load(&mute))
		(void)sem_wait(&answer);
	r = __real_document_load(path, ret, why);
	atomic_store(&answered, true);
	return r;
}

static void on_later(struct ev_loop *loop, ev_timer *timer, int revents)
{
	(void)loop, (void)revents;
	*(bool *)timer->data = true;
}

static unsigned count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned n = 0;

	cr_assert_not_null(tasks);
	while (readdir(tasks) != NULL)
		n++;
	(void)closedir(tasks);
	return n;
}

Test(reader, leaves_a_thread_behind_that_never_wakes_the_loop)
{
	struct heard h = { 0 };
	unsigned threads = count_threads();
	bool is_later = false;
	ev_timer later = { .data = &is_later };

	set_up();
	put("{}");
	(void)sem_init(&answer, 0, 0);
	atomic_store(&mute, true);
	reader_read(w.reader, hear, &h);
	ev_run(w.loop, EVRUN_NOWAIT);
	reader_free(&w.reader);
	cr_assert_eq(h.result, -ECANCELED);
	(void)sem_post(&answer);
	/* only its end shows that nothing comes from it any more */
	while (count_threads() > threads)
		(void)usleep(1000);
	cr_assert(atomic_load(&answered));
	/* a thread that was woken does not wait for its timer */
	ev_now_update(w.loop);
	ev_timer_init(&later, on_later, 0.1, 0);
	ev_timer_start(w.loop, &later);
	ev_run(w.loop, EVRUN_ONCE);
	cr_assert(is_later, "the thread woke the loop");
	tear_down();
}

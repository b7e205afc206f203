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

int __real_document_load_changed(const char *path, char *digest, json_t **ret,
				 struct errmsg *why);
int __wrap_document_load_changed(const char *path, char *digest, json_t **ret,
				 struct errmsg *why);

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
	uint64_t known; /* of the read */
	uint64_t version; /* of the result */
	bool same; /* no document: the content is known */
};

static void hear(int result, const json_t *document, const struct errmsg *why,
		 void *arg)
{
	struct heard *h = arg;

	cr_assert(document == NULL || result == 0);
	cr_assert(document != NULL || result < 0 || h->known != 0);
	cr_assert_eq(result == 0, why->text[0] == '\0');
	h->n++;
	h->same = result == 0 && document == NULL;
	/* at its end the reader knows nothing any more */
	h->version = result == 0 ? reader_version(w.reader) : 0;
	h->result = result;
	h->value = json_integer_value(json_object_get(document, "a"));
	if (h->ask_again)
		reader_read(w.reader, 0, hear, h);
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
	reader_read(w.reader, 0, hear, &a);
	reader_read(w.reader, 0, hear, &b);
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
	reader_read(w.reader, 0, hear, &a);
	ev_run(w.loop, EVRUN_NOWAIT);
	/* a thread reads, or has read, the first text */
	put("{\"a\": 2}");
	reader_read(w.reader, 0, hear, &b);
	run_until(&b, 1);
	cr_assert_eq(b.value, 2);
	cr_assert_eq(a.n, 1u);
	tear_down();
}

static void read_knowing(struct heard *h, uint64_t known)
{
	h->known = known;
	reader_read(w.reader, known, hear, h);
	run_until(h, h->n + 1);
}

Test(reader, parses_no_content_that_its_client_knows)
{
	struct heard a = { 0 };
	uint64_t first;

	set_up();
	put("{\"a\": 1}");
	read_knowing(&a, 0);
	cr_assert(!a.same);
	first = a.version;
	cr_assert_neq(first, 0u);
	read_knowing(&a, first);
	cr_assert(a.same);
	cr_assert_eq(a.version, first);
	/* the same size and, within a tick of the clock, the same time */
	put("{\"a\": 2}");
	read_knowing(&a, first);
	cr_assert(!a.same);
	cr_assert_eq(a.value, 2);
	cr_assert_neq(a.version, first);
	/* another client knows nothing, or an older content */
	read_knowing(&a, 0);
	cr_assert(!a.same);
	read_knowing(&a, first);
	cr_assert(!a.same);
	tear_down();
}

Test(reader, forgets_the_content_in_front_of_a_damaged_file)
{
	struct heard a = { 0 };
	uint64_t first;

	set_up();
	put("{\"a\": 1}");
	read_knowing(&a, 0);
	first = a.version;
	put("{");
	read_knowing(&a, first);
	cr_assert_eq(a.result, -EBADMSG);
	cr_assert_eq(a.version, 0u);
	put("{\"a\": 1}");
	read_knowing(&a, first);
	cr_assert(!a.same);
	cr_assert_gt(a.version, first);
	tear_down();
}

Test(reader, reports_why_it_cannot_read)
{
	struct heard h = { 0 };

	set_up();
	put("{");
	reader_read(w.reader, 0, hear, &h);
	run_until(&h, 1);
	cr_assert_eq(h.result, -EBADMSG);
	cr_assert_eq(unlink(w.path), 0);
	reader_read(w.reader, 0, hear, &h);
	run_until(&h, 2);
	cr_assert_eq(h.result, -ENOENT);
	tear_down();
}

Test(reader, may_be_freed_while_somebody_waits)
{
	struct heard h = { 0 };

	set_up();
	put("{\"a\": 1}");
	reader_read(w.reader, 0, hear, &h);
	ev_run(w.loop, EVRUN_NOWAIT);
	reader_read(w.reader, 0, hear, &h);
	tear_down();
	cr_assert_eq(h.n, 2u);
	cr_assert_eq(h.result, -ECANCELED);
}

static sem_t answer;
static atomic_bool mute, answered;

/* The disk does not answer before the test lets it. */
int __wrap_document_load_changed(const char *path, char *digest, json_t **ret,
				 struct errmsg *why)
{
	int r;

	if (atomic_load(&mute))
		(void)sem_wait(&answer);
	r = __real_document_load_changed(path, digest, ret, why);
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
	reader_read(w.reader, 0, hear, &h);
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

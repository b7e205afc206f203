/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/document/revisions.h"
#include "common/document/save.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { DELAY_MS = 20, PATIENCE_MS = 60000 };

/* The state of a test: the text to be saved is the number of changes. */
struct fixture {
	struct ev_loop *loop;
	struct save *save;
	char folder[32];
	char path[64];
	unsigned changes;
	unsigned taken; /* times the text was asked for */
	unsigned errors_logged;
	bool restores; /* the first error in the log makes the folder again */
	size_t padding; /* blanks behind the number: a slow write */
	const char *author; /* the next write has it; NULL: unknown */
};

static char *number(size_t *ret_len, void *arg)
{
	struct fixture *f = arg;
	char *text = xasprintf("%u%*s", f->changes, (int)f->padding, "");

	f->taken++;
	*ret_len = strlen(text);
	return text;
}

static char *take_author(void *arg)
{
	struct fixture *f = arg;
	char *author = xstrdup(f->author);

	f->author = NULL;
	return author;
}

static void count_errors(enum log_level level, const char *component,
			 const char *text, void *arg)
{
	struct fixture *f = arg;

	(void)component, (void)text;
	if (level != LOG_LEVEL_ERROR)
		return;
	f->errors_logged++;
	if (f->restores)
		(void)mkdir(f->folder, 0700);
}

static void set_up_as(struct fixture *f, bool settle)
{
	*f = (struct fixture){ .folder = "/tmp/save-XXXXXX" };
	cr_assert_not_null(mkdtemp(f->folder));
	(void)snprintf(f->path, sizeof f->path, "%s/x.json", f->folder);
	f->loop = ev_loop_new(EVFLAG_AUTO);
	log_open(count_errors, f, LOG_LEVEL_INFO);
	f->save = save_new(&(struct save_config){
		.loop = f->loop,
		.path = f->path,
		.delay_ms = DELAY_MS,
		.retry_min_ms = 5,
		.retry_max_ms = 20,
		.settle = settle,
		.text = number,
		.author = take_author,
		.arg = f,
	});
}

static void set_up(struct fixture *f)
{
	set_up_as(f, false);
}

static void tear_down(struct fixture *f)
{
	save_free(&f->save);
	cr_assert_null(f->save);
	ev_loop_destroy(f->loop);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	(void)unlink(f->path);
	cr_expect_eq(rmdir(f->folder), 0, "something was left behind");
}

static void change(struct fixture *f)
{
	f->changes++;
	/* the time since the last turn is no part of the delay */
	ev_now_update(f->loop);
	save_touch(f->save);
}

/* The number in the file, or -1. */
static int saved(const struct fixture *f)
{
	FILE *file = fopen(f->path, "r");
	int n = -1;

	if (file == NULL)
		return -1;
	cr_assert_eq(fscanf(file, "%d", &n), 1);
	(void)fclose(file);
	return n;
}

/* Runs the loop until wanted is in the file. */
static void run_until_saved(struct fixture *f, int wanted)
{
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	while (saved(f) != wanted && mono_ms() < end_ms)
		ev_run(f->loop, EVRUN_ONCE);
	cr_assert_eq(saved(f), wanted);
}

static void stop_loop(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)w, (void)revents;
	ev_break(loop, EVBREAK_ALL);
}

static void run_for(struct fixture *f, unsigned ms)
{
	ev_timer timer;

	ev_timer_init(&timer, stop_loop, ms / 1e3, 0);
	ev_timer_start(f->loop, &timer);
	ev_run(f->loop, 0);
	ev_timer_stop(f->loop, &timer);
}

Test(save, writes_a_burst_once_after_the_delay)
{
	struct fixture f;
	uint64_t began_ms;

	set_up(&f);
	began_ms = mono_ms();
	for (int i = 0; i < 10; i++)
		change(&f);
	cr_assert_eq(saved(&f), -1);
	run_until_saved(&f, 10);
	cr_assert_geq(mono_ms() - began_ms, DELAY_MS - 1u);
	run_for(&f, 3 * DELAY_MS);
	cr_assert_eq(f.taken, 1u);
	tear_down(&f);
}

Test(save, is_not_put_off_by_further_changes)
{
	struct fixture f;
	unsigned rounds = 0;
	uint64_t began_ms = mono_ms();

	set_up(&f);
	/* a change every 5 ms for 200 ms, or until a slow disk has had some */
	for (; rounds < 40 || (f.taken < 3 && rounds < 4000); rounds++) {
		change(&f);
		run_for(&f, 5);
	}
	cr_assert_geq(f.taken, 3u);
	cr_assert_leq(f.taken, (mono_ms() - began_ms) / DELAY_MS + 1);
	run_until_saved(&f, (int)rounds);
	tear_down(&f);
}

Test(save, writes_unsaved_changes_at_the_end)
{
	struct fixture f;

	set_up(&f);
	change(&f);
	save_free(&f.save);
	cr_assert_eq(saved(&f), 1);
	tear_down(&f);
}

Test(save, writes_nothing_when_nothing_changed)
{
	struct fixture f;

	set_up(&f);
	run_for(&f, 2 * DELAY_MS);
	save_free(&f.save);
	cr_assert_eq(f.taken, 0u);
	cr_assert_eq(saved(&f), -1);
	tear_down(&f);
}

Test(save, tries_again_until_it_can)
{
	struct fixture f;
	uint64_t began_ms = mono_ms();

	set_up(&f);
	change(&f);
	run_until_saved(&f, 1);
	cr_assert_eq(unlink(f.path), 0);
	cr_assert_eq(rmdir(f.folder), 0);
	change(&f);
	run_for(&f, 200);
	/* 20 ms delay, then 5, 10, 20, 20 … */
	cr_assert_leq(f.taken, 15u);
	/* doubling for ever, the fifteenth would take a minute */
	while (f.taken < 15 && mono_ms() < began_ms + PATIENCE_MS)
		ev_run(f.loop, EVRUN_ONCE);
	cr_assert_geq(f.taken, 15u);
	cr_assert_geq(f.errors_logged, 1u);
	cr_assert_leq(f.errors_logged, 3u, "every failure is logged");
	cr_assert_eq(mkdir(f.folder, 0700), 0);
	change(&f);
	/* the newest text, not the failed one */
	run_until_saved(&f, 3);
	tear_down(&f);
}

Test(save, keeps_the_authors_of_a_write_that_failed)
{
	struct revision found[REVISIONS_MAX + 1];
	struct fixture f;
	bool signs;

	set_up(&f);
	cr_assert_eq(rmdir(f.folder), 0);
	f.author = "olga, carl";
	change(&f);
	while (f.errors_logged == 0)
		ev_run(f.loop, EVRUN_ONCE);
	f.author = "carl, eva";
	while (f.author != NULL)
		ev_run(f.loop, EVRUN_ONCE);
	cr_assert_eq(mkdir(f.folder, 0700), 0);
	run_until_saved(&f, 1);
	while (!save_is_idle(f.save))
		ev_run(f.loop, EVRUN_ONCE);
	signs = setxattr(f.path, "user.test", "", 0, 0) == 0;
	cr_assert_eq(revisions_list(f.path, found), 1u);
	cr_expect_str_eq(found[0].author, signs ? "olga, carl, eva" : "");
	tear_down(&f);
}

Test(save, does_not_end_silently_when_the_last_write_fails)
{
	struct fixture f;

	set_up(&f);
	cr_assert_eq(rmdir(f.folder), 0);
	change(&f);
	save_free(&f.save);
	cr_assert_eq(f.errors_logged, 1u);
	cr_assert_eq(mkdir(f.folder, 0700), 0);
	tear_down(&f);
}

Test(save, may_be_freed_while_a_write_is_in_flight)
{
	struct fixture f;

	set_up(&f);
	change(&f);
	/* the timer has fired and the thread runs, its end is not yet received
	 * */
	while (f.taken == 0)
		ev_run(f.loop, EVRUN_ONCE);
	change(&f);
	save_free(&f.save);
	cr_assert_eq(saved(&f), 2);
	tear_down(&f);
}

Test(save, repeats_a_write_after_a_change_during_it)
{
	struct fixture f;

	set_up(&f);
	f.padding = 64 * 1024 * 1024; /* longer than the delay */
	change(&f);
	while (f.taken == 0)
		ev_run(f.loop, EVRUN_ONCE);
	change(&f);
	run_until_saved(&f, 2);
	cr_assert_eq(f.taken, 2u);
	tear_down(&f);
}

Test(save, waits_for_calm_when_it_is_to_settle)
{
	struct fixture f;
	uint64_t last_ms;

	set_up_as(&f, true);
	change(&f);
	run_for(&f, DELAY_MS / 2);
	last_ms = mono_ms();
	change(&f);
	run_until_saved(&f, 2);
	cr_assert_geq(mono_ms() - last_ms, DELAY_MS - 1u);
	change(&f);
	save_free(&f.save);
	cr_assert_eq(saved(&f), 2, "written at the end");
	tear_down(&f);
}

/* --- orders --- */

struct heard {
	unsigned n;
	int result;
	char why[256];
};

static void hear(int result, const struct errmsg *why, void *arg)
{
	struct heard *h = arg;

	h->n++;
	h->result = result;
	(void)snprintf(h->why, sizeof h->why, "%s", why->text);
}

static void run_until_heard(struct fixture *f, const struct heard *h,
			    unsigned n)
{
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	/* an order without a write is over here, and wakes no ev_run() */
	ev_invoke_pending(f->loop);
	while (h->n < n && mono_ms() < end_ms)
		ev_run(f->loop, EVRUN_ONCE);
	cr_assert_eq(h->n, n);
}

Test(save, writes_at_once_and_reports_when_it_is_on_disk)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	change(&f);
	save_now(f.save, hear, &h);
	cr_assert_eq(h.n, 0u, "reported inside the call");
	run_until_heard(&f, &h, 1);
	cr_assert_eq(h.result, 0);
	cr_assert_eq(saved(&f), 1);
	run_for(&f, 3 * DELAY_MS);
	cr_assert_eq(f.taken, 1u, "the burst is written twice");
	tear_down(&f);
}

Test(save, reports_to_each_caller_that_waits_behind_a_write)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	f.padding = 8 * 1024 * 1024;
	for (unsigned i = 0; i < 3; i++) {
		change(&f);
		save_now(f.save, hear, &h);
	}
	run_until_heard(&f, &h, 3);
	cr_assert_eq(saved(&f), 3);
	tear_down(&f);
}

Test(save, reports_an_error_and_retries)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	cr_assert_eq(rmdir(f.folder), 0);
	change(&f);
	save_now(f.save, hear, &h);
	run_until_heard(&f, &h, 1);
	cr_assert_eq(h.result, -ENOENT);
	cr_assert(strstr(h.why, f.folder) != NULL, "%s", h.why);
	cr_assert_eq(mkdir(f.folder, 0700), 0);
	run_until_saved(&f, 1);
	cr_assert_eq(h.n, 1u);
	tear_down(&f);
}

static void put_text(struct fixture *f, const char *text, struct heard *h)
{
	save_text(f->save, xstrdup(text), strlen(text), true, hear, h);
}

Test(save, writes_a_text_instead_of_the_waiting_one)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	change(&f);
	put_text(&f, "77", &h);
	run_until_heard(&f, &h, 1);
	cr_assert_eq(h.result, 0);
	run_for(&f, 3 * DELAY_MS);
	cr_assert_eq(saved(&f), 77, "the change before it came after it");
	change(&f);
	run_until_saved(&f, 2);
	put_text(&f, "78", &h);
	change(&f);
	run_until_heard(&f, &h, 2);
	run_until_saved(&f, 3);
	tear_down(&f);
}

Test(save, writes_the_waiting_text_when_the_other_one_cannot_be)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	cr_assert_eq(rmdir(f.folder), 0);
	put_text(&f, "77", &h);
	run_until_heard(&f, &h, 1);
	cr_assert_eq(h.result, -ENOENT);
	change(&f);
	put_text(&f, "78", &h);
	run_until_heard(&f, &h, 2);
	cr_assert_eq(mkdir(f.folder, 0700), 0);
	run_until_saved(&f, 1);
	tear_down(&f);
}

/* A write of a change that fails: the folder comes back with its line in the
 * log, before the next write. */
static void begin_write_that_fails(struct fixture *f)
{
	unsigned taken = f->taken;

	cr_assert_eq(rmdir(f->folder), 0);
	f->restores = true;
	change(f);
	while (f->taken == taken)
		ev_run(f->loop, EVRUN_ONCE);
	cr_assert_eq(f->errors_logged, 0u);
}

Test(save, writes_no_content_that_failed_over_a_later_text)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	begin_write_that_fails(&f);
	put_text(&f, "77", &h);
	run_until_heard(&f, &h, 1);
	cr_assert_eq(h.result, 0);
	cr_assert_eq(f.errors_logged, 1u);
	/* as a restart does */
	save_catch_up(f.save, hear, &h);
	run_until_heard(&f, &h, 2);
	run_for(&f, 3 * DELAY_MS);
	cr_assert_eq(saved(&f), 77);
	cr_assert(save_is_idle(f.save));
	cr_assert_null(save_error(f.save));
	tear_down(&f);
}

Test(save, catches_up_with_what_waits_and_only_with_that)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	save_catch_up(f.save, hear, &h);
	run_until_heard(&f, &h, 1);
	cr_assert_eq(h.result, 0);
	cr_assert_eq(f.taken, 0u, "nothing waits");
	/* behind a text, which stays */
	put_text(&f, "77", &h);
	save_catch_up(f.save, hear, &h);
	run_until_heard(&f, &h, 3);
	cr_assert_eq(h.result, 0);
	cr_assert_eq(saved(&f), 77);
	change(&f);
	save_catch_up(f.save, hear, &h);
	run_until_heard(&f, &h, 4);
	cr_assert_eq(saved(&f), 1);
	/* each time the disk is tried, also before the next attempt */
	cr_assert_eq(unlink(f.path), 0);
	cr_assert_eq(rmdir(f.folder), 0);
	change(&f);
	for (unsigned i = 5; i < 8; i++) {
		save_catch_up(f.save, hear, &h);
		run_until_heard(&f, &h, i);
		cr_assert_eq(h.result, -ENOENT);
	}
	cr_assert_eq(mkdir(f.folder, 0700), 0);
	save_catch_up(f.save, hear, &h);
	run_until_heard(&f, &h, 8);
	cr_assert_eq(h.result, 0);
	cr_assert_eq(saved(&f), 2);
	tear_down(&f);
}

Test(save, reports_to_waiting_callers_when_it_is_freed)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	f.padding = 8 * 1024 * 1024;
	change(&f);
	save_now(f.save, hear, &h);
	while (f.taken == 0)
		ev_run(f.loop, EVRUN_ONCE);
	save_now(f.save, hear, &h);
	put_text(&f, "77", &h);
	save_free(&f.save);
	cr_assert_eq(h.n, 3u);
	cr_assert_eq(h.result, -ECANCELED);
	cr_assert_eq(saved(&f), 1, "a text without a report");
	tear_down(&f);
}

Test(save, keeps_what_a_text_displaced_that_is_not_written_at_the_end)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f);
	f.padding = 8 * 1024 * 1024;
	change(&f);
	save_now(f.save, hear, &h);
	while (f.taken == 0)
		ev_run(f.loop, EVRUN_ONCE);
	change(&f);
	put_text(&f, "77", &h);
	save_free(&f.save);
	cr_assert_eq(h.n, 2u);
	cr_assert_eq(h.result, -ECANCELED);
	cr_assert_eq(saved(&f), 2);
	tear_down(&f);
}

struct ender {
	struct fixture *f;
	unsigned n;
	int result;
};

/* The first callback ends everything. */
static void end_all(int result, const struct errmsg *why, void *arg)
{
	struct ender *e = arg;

	(void)why;
	e->n++;
	e->result = result;
	save_free(&e->f->save);
}

Test(save, may_be_freed_in_its_callback)
{
	struct fixture f;
	struct ender e = { .f = &f };
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	set_up(&f);
	change(&f);
	for (unsigned i = 0; i < 3; i++)
		save_now(f.save, end_all, &e);
	while (e.n == 0 && mono_ms() < end_ms)
		ev_run(f.loop, EVRUN_ONCE);
	cr_assert_eq(e.n, 3u);
	cr_assert_null(f.save);
	run_for(&f, DELAY_MS);
	cr_assert_eq(saved(&f), 1);
	tear_down(&f);
}

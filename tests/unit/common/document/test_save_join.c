/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callers that wait for the usual write of a save. */
#include "common/base/alloc.h"
#include "common/base/log.h"
#include "common/base/mono.h"
#include "common/document/save.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHORT_MS = 20, LONG_MS = 3600 * 1000, PATIENCE_MS = 60000 };

struct fixture {
	struct ev_loop *loop;
	struct save *save;
	char folder[32];
	char path[64];
	unsigned taken; /* times the text was asked for */
};

/* The reports to a caller. */
struct heard {
	unsigned n;
	int result;
};

static char *number(size_t *ret_len, void *arg)
{
	struct fixture *f = arg;
	char *text = xasprintf("%u", ++f->taken);

	*ret_len = strlen(text);
	return text;
}

static void set_up(struct fixture *f, unsigned delay_ms)
{
	*f = (struct fixture){ .folder = "/tmp/save-XXXXXX" };
	cr_assert_not_null(mkdtemp(f->folder));
	(void)snprintf(f->path, sizeof f->path, "%s/x.json", f->folder);
	f->loop = ev_loop_new(EVFLAG_AUTO);
	f->save = save_new(&(struct save_config){
		.loop = f->loop,
		.path = f->path,
		.delay_ms = delay_ms,
		.retry_min_ms = LONG_MS,
		.retry_max_ms = LONG_MS,
		.text = number,
		.arg = f,
	});
}

static void tear_down(struct fixture *f)
{
	save_free(&f->save);
	ev_loop_destroy(f->loop);
	(void)unlink(f->path);
	(void)rmdir(f->folder);
}

static void hear(int result, const struct errmsg *error, void *arg)
{
	struct heard *h = arg;

	(void)error;
	h->n++;
	h->result = result;
}

static void join(struct fixture *f, struct heard *h)
{
	save_touch(f->save);
	save_join(f->save, hear, h);
}

static void run_until_heard(struct fixture *f, const struct heard *h,
			    unsigned n)
{
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	/* an event that was fed does not end the wait of the loop */
	ev_invoke_pending(f->loop);
	while (h->n < n && mono_ms() < end_ms)
		ev_run(f->loop, EVRUN_ONCE);
	cr_assert_eq(h->n, n);
}

Test(save_join, waits_for_the_delay_and_causes_no_write)
{
	struct heard a = { 0 }, b = { 0 };
	struct fixture f;
	uint64_t began_ms;

	set_up(&f, SHORT_MS);
	ev_now_update(f.loop);
	began_ms = mono_ms();
	join(&f, &a);
	join(&f, &b);
	run_until_heard(&f, &a, 1);
	cr_expect_geq(mono_ms() - began_ms, SHORT_MS - 1u);
	cr_expect_eq(b.n, 1u);
	cr_expect_eq(a.result, 0);
	cr_expect_eq(access(f.path, F_OK), 0);
	/* nothing is touched */
	save_join(f.save, hear, &a);
	run_until_heard(&f, &a, 2);
	cr_expect_eq(a.result, 0);
	cr_expect_eq(f.taken, 1u);
	tear_down(&f);
}

Test(save_join, ends_with_an_earlier_write_of_the_content)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f, LONG_MS);
	join(&f, &h);
	save_touch_in(f.save, 0);
	run_until_heard(&f, &h, 1);
	join(&f, &h);
	save_catch_up(f.save, hear, &h);
	run_until_heard(&f, &h, 3);
	/* a text takes the place of the content */
	join(&f, &h);
	save_text(f.save, xstrdup("text"), 4, true, hear, &h);
	run_until_heard(&f, &h, 5);
	cr_expect_eq(f.taken, 2u);
	cr_expect(save_is_idle(f.save));
	tear_down(&f);
}

Test(save_join, does_not_end_with_a_write_of_earlier_content)
{
	struct heard first = { 0 }, second = { 0 };
	struct fixture f;

	set_up(&f, LONG_MS);
	join(&f, &first);
	save_touch_in(f.save, 0);
	while (f.taken == 0)
		ev_run(f.loop, EVRUN_ONCE);
	/* the end of the write was not received yet */
	join(&f, &second);
	run_until_heard(&f, &first, 1);
	cr_expect_eq(second.n, 0u);
	save_touch_in(f.save, 0);
	run_until_heard(&f, &second, 1);
	cr_expect_eq(f.taken, 2u);
	tear_down(&f);
}

Test(save_join, reports_an_error_and_repeats_the_write_within_the_delay)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f, SHORT_MS);
	log_open(NULL, NULL, LOG_LEVEL_INFO);
	cr_assert_eq(rmdir(f.folder), 0);
	join(&f, &h);
	run_until_heard(&f, &h, 1);
	cr_expect_eq(h.result, -ENOENT);
	cr_assert_eq(mkdir(f.folder, 0700), 0);
	join(&f, &h);
	run_until_heard(&f, &h, 2);
	cr_expect_eq(h.result, 0);
	tear_down(&f);
}

Test(save_join, is_cancelled_when_the_save_is_freed)
{
	struct heard h = { 0 };
	struct fixture f;

	set_up(&f, LONG_MS);
	join(&f, &h);
	save_touch_in(f.save, 0);
	while (f.taken == 0)
		ev_run(f.loop, EVRUN_ONCE);
	join(&f, &h);
	save_free(&f.save);
	cr_expect_eq(h.n, 2u);
	cr_expect_eq(h.result, -ECANCELED);
	tear_down(&f);
}

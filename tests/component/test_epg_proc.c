/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real worker of the guide, through the master's side of it. */
#include "master/streams/epg_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/supervise/memfd.h"
#include "master/streams/epg_file.h"
#include "proto/ipc/channel.h"
#include "proto/si/text_dictionary.h"
#include "tests/component/epg_bench.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = EPG_BENCH_PATIENCE_MS };

/* The disk gets a call and answers it as the test wants. */
static struct {
	bool hangs, dictionary_hangs; /* it does not answer */
	void (*on_answer)(void *arg); /* between its answer and the start */
	void *on_answer_arg;
	epg_file_read_fn *on_read;
	void *arg;
} disk;

void __real_epg_file_read(struct epg_file *, size_t max, epg_file_read_fn *,
			  void *arg);
void __wrap_epg_file_read(struct epg_file *, size_t max, epg_file_read_fn *,
			  void *arg);

static void on_disk_answer(int fd, void *arg)
{
	void (*on_answer)(void *) = disk.on_answer;

	(void)arg;
	disk.on_answer = NULL;
	on_answer(disk.on_answer_arg);
	disk.on_read(fd, disk.arg);
}

void __wrap_epg_file_read(struct epg_file *f, size_t max,
			  epg_file_read_fn *on_read, void *arg)
{
	bool hangs = max == TEXT_DICTIONARY_MAX ? disk.dictionary_hangs
						 : disk.hangs;

	if (hangs || disk.on_answer != NULL) {
		disk.on_read = on_read;
		disk.arg = arg;
	}
	if (!hangs)
		__real_epg_file_read(f, max, disk.on_answer != NULL
					? on_disk_answer : on_read, arg);
}

static bool has_one_event(void *arg)
{
	const struct epg_bench *b = arg;

	return epg_proc_status(b->proc)->events == 1;
}

Test(epg_proc, the_saved_guide_is_loaded_and_unknown_streams_go)
{
	char text[500];
	struct asked a;
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	epg_bench_format_event(text + strlen(text),
			       sizeof text - strlen(text), "gone");
	(void)strcat(text, "no event\n");
	epg_bench_init(&b, text);
	epg_bench_wait_loaded(&b);
	cr_expect_eq(epg_bench_ask(&b, &a), 0);
	epg_bench_wait_answer(&b, &a);
	cr_expect_gt(a.len, 0);
	rig_run_until(b.rig.loop, has_one_event, &b, PATIENCE_MS,
		      "a status of one event");
	cr_expect_eq(rig_count_log("1 unreadable lines skipped"), 1);
	epg_bench_done(&b);
}

/* The stream has another id than in the saved guide. */
static void expect_guide(struct epg_bench *b)
{
	struct asked a;

	epg_bench_wait_loaded(b);
	cr_expect_eq(epg_bench_ask(b, &a), 0);
	epg_bench_wait_answer(b, &a);
	cr_expect_gt(a.len, 0, "%s\n%s", a.error, rig_log());
	epg_bench_done(b);
}

Test(epg_proc, the_services_of_the_settings_are_the_limit)
{
	char text[500], *second = text;
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	second += strlen(text);
	epg_bench_format_event(second, sizeof text - strlen(text), "a");
	strstr(second, "\"pnr\":7")[6] = '8';
	epg_bench_init_limit(&b, text, 1);
	epg_bench_wait_loaded(&b);
	cr_expect_eq(epg_proc_status(b.proc)->services, 1);
	cr_expect_eq(epg_proc_status(b.proc)->events, 1);
	epg_bench_done(&b);
}

Test(epg_proc, a_new_id_before_the_worker_runs_keeps_the_saved_guide)
{
	char text[300];
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	epg_bench_init(&b, text);
	b.id = "b";
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	expect_guide(&b);
}

Test(epg_proc, an_answer_has_a_deadline)
{
	struct asked a;
	struct epg_bench b;
	pid_t pid;

	epg_bench_init(&b, NULL);
	epg_bench_wait_loaded(&b);
	pid = epg_bench_pause();
	cr_expect_eq(epg_bench_ask(&b, &a), 0);
	epg_bench_wait_answer(&b, &a);
	cr_expect_eq(a.len, 0);
	cr_expect_str_eq(a.error, "no answer in time");
	cr_assert_eq(kill(pid, SIGCONT), 0);
	epg_bench_done(&b);
}

Test(epg_proc, the_end_of_the_worker_ends_questions_which_are_bounded)
{
	struct asked a[EPG_ASKS_MAX], more;
	struct epg_bench b;
	pid_t pid;

	epg_bench_init(&b, NULL);
	cr_expect_eq(epg_bench_ask(&b, &more), -EBUSY, "it has no limits yet");
	epg_bench_wait_loaded(&b);
	pid = epg_bench_pause();
	for (size_t i = 0; i < EPG_ASKS_MAX; i++)
		cr_expect_eq(epg_bench_ask(&b, &a[i]), 0);
	cr_expect_eq(epg_bench_ask(&b, &more), -EBUSY);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	for (size_t i = 0; i < EPG_ASKS_MAX; i++) {
		epg_bench_wait_answer(&b, &a[i]);
		cr_expect_eq(a[i].done, 1);
		cr_expect_str_eq(a[i].error,
				 "the process that keeps the guide ended");
	}
	/* the successor answers */
	epg_bench_wait_loaded(&b);
	cr_expect_eq(epg_bench_ask(&b, &a[0]), 0);
	epg_bench_wait_answer(&b, &a[0]);
	cr_expect_str_eq(a[0].error, "the guide has no events of the stream");
	epg_bench_done(&b);
}

static bool is_idle(void *arg)
{
	const struct epg_bench *b = arg;

	return channel_is_idle(service_proc_channel(
		epg_proc_service(b->proc)));
}

/* So many channels are written in several parts. */
static void write_xmltv(struct epg_bench *b, struct asked *a)
{
	int fd = memfd_open("channels");
	struct buf text = { 0 };

	for (int i = 0; i < 5000; i++)
		buf_printf(&text, "%c{\"stream\":\"a\",\"id\":\"%d\",\"name\":"
			   "\"\",\"number\":\"\",\"icon\":\"\"}",
			   i > 0 ? ',' : '[', i);
	buf_append(&text, "]", 1);
	cr_assert_eq(memfd_write(fd, (const char *)buf_head(&text),
				 buf_len(&text)), 0);
	buf_done(&text);
	cr_expect_eq(epg_proc_write_xmltv(b->proc, fd, 0, epg_bench_on_done,
					  a), 0);
	fd_close(&fd);
}

/* The master does not wait for the former one any more. */
Test(epg_proc, a_document_that_takes_too_long_does_not_keep_the_next_away)
{
	struct asked former = { 0 }, next = { 0 };
	struct epg_bench b;
	pid_t pid;

	epg_bench_init(&b, NULL);
	epg_bench_wait_loaded(&b);
	/* so that it gets both at once */
	pid = epg_bench_pause();
	write_xmltv(&b, &former);
	write_xmltv(&b, &next);
	rig_run_until(b.rig.loop, is_idle, &b, PATIENCE_MS, "the questions");
	cr_assert_eq(kill(pid, SIGCONT), 0);
	epg_bench_wait_answer(&b, &next);
	cr_expect_gt(next.len, 0, "%s", next.error);
	epg_bench_done(&b);
}

/* The worker has its limits. */
static bool is_started(void *arg)
{
	static struct asked a;

	return epg_bench_ask(arg, &a) == 0;
}

static void pause_worker(void *arg)
{
	*(pid_t *)arg = epg_bench_pause();
}

/* Returns the worker, which is stopped with its limits and the saved guide
 * unread.  It runs until the disk has answered: the master ends a worker that
 * sends no status for 3 s. */
static pid_t start_paused(struct epg_bench *b)
{
	pid_t pid = 0;

	disk.on_answer_arg = &pid;
	disk.on_answer = pause_worker;
	rig_run_until(b->rig.loop, is_started, b, PATIENCE_MS, "its start");
	cr_assert_gt(pid, 0);
	return pid;
}

struct ends {
	struct service_proc *service;
	unsigned n; /* before */
};

static unsigned count_ends(const struct service_proc *service)
{
	const char *state;
	unsigned ends;
	int pid;

	service_proc_get(service, &state, &pid, &ends);
	return ends;
}

static bool has_ended(void *arg)
{
	const struct ends *e = arg;

	return count_ends(e->service) > e->n;
}

/* The worker ends by the signal while it loads the saved guide. */
static void end_loading(struct epg_bench *b, int signal)
{
	pid_t pid = start_paused(b);
	struct ends e = { epg_proc_service(b->proc), 0 };

	e.n = count_ends(e.service);
	cr_assert_eq(kill(pid, signal), 0);
	cr_assert_eq(kill(pid, SIGCONT), 0);
	rig_run_until(b->rig.loop, has_ended, &e, PATIENCE_MS, "its end");
}

Test(epg_proc, a_file_that_three_workers_crashed_of_is_not_given_to_the_next)
{
	char text[300];
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	epg_bench_init(&b, text);
	for (unsigned i = 0; i < 3; i++) {
		cr_expect_eq(rig_count_log("the guide starts empty"), 0);
		end_loading(&b, SIGABRT);
	}
	epg_bench_wait_loaded(&b);
	cr_expect_eq(epg_proc_status(b.proc)->events, 0);
	cr_expect_eq(rig_count_log("the guide starts empty"), 1);
	epg_bench_done(&b);
}

Test(epg_proc, a_worker_that_is_killed_keeps_the_saved_guide)
{
	char text[300];
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	epg_bench_init(&b, text);
	for (unsigned i = 0; i < 4; i++)
		end_loading(&b, i == 2 ? SIGABRT : SIGKILL);
	epg_bench_wait_loaded(&b);
	rig_run_until(b.rig.loop, has_one_event, &b, PATIENCE_MS,
		      "the saved event");
	cr_expect_eq(rig_count_log("the guide starts empty"), 0);
	epg_bench_done(&b);
}

/* The event is behind JUNK bytes, which the worker reads in parts: it takes the
 * messages meanwhile. */
static void write_late_event(const struct epg_bench *b)
{
	enum { JUNK = 8 << 20 };
	char *text = xmalloc(JUNK + 300);

	memset(text, 'x', JUNK);
	text[JUNK - 1] = '\n';
	epg_bench_format_event(text + JUNK, 300, "a");
	epg_bench_write_file(b, text);
	free(text);
}

Test(epg_proc, a_new_id_while_the_saved_guide_is_loaded_keeps_it)
{
	struct epg_bench b;
	pid_t pid;

	epg_bench_init(&b, NULL);
	write_late_event(&b);
	pid = start_paused(&b);
	b.id = "b";
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, is_idle, &b, PATIENCE_MS, "the new id");
	cr_assert_eq(kill(pid, SIGCONT), 0);
	expect_guide(&b);
}

Test(epg_proc, a_disk_that_does_not_answer_keeps_the_saved_guide_away_only)
{
	char text[300];
	struct asked a;
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	disk.hangs = true;
	epg_bench_init_with(&b, text, (struct epg_times){ .read_ms = 100 });
	epg_bench_wait_loaded(&b);
	cr_expect_eq(rig_count_log("does not answer: the guide starts"), 1);
	cr_expect_eq(epg_proc_status(b.proc)->events, 0);
	/* a late answer is ignored */
	disk.on_read(-ENODATA, disk.arg);
	cr_expect_eq(rig_count_log("cannot be read"), 1);
	cr_expect_eq(epg_bench_ask(&b, &a), 0);
	epg_bench_wait_answer(&b, &a);
	cr_expect_str_eq(a.error, "the guide has no events of the stream");
	epg_bench_done(&b);
}

static bool has_dictionary_error(void *arg)
{
	const struct epg_bench *b = arg;
	const struct msg_epg_status *s = epg_proc_status(b->proc);

	return s->n_errors == 1 && strcmp(s->errors[0], "epg_dictionary: "
		"/dictionary: the disk does not answer") == 0;
}

static bool is_asked(void *arg)
{
	(void)arg;
	return disk.on_read != NULL;
}

Test(epg_proc, a_dictionary_that_is_late_does_not_keep_the_saved_guide_away)
{
	char text[300];
	struct asked a;
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	disk.dictionary_hangs = true;
	epg_bench_init_dictionary(&b, text, (struct epg_times){
		.read_ms = 2500 }, "/dictionary");
	epg_bench_wait_loaded(&b);
	rig_run_until(b.rig.loop, has_one_event, &b, PATIENCE_MS,
		      "the saved event");
	cr_expect(has_dictionary_error(&b));
	cr_expect_eq(rig_count_log("the guide starts empty"), 0);
	/* a late answer: the worker runs without it, and the error says so */
	disk.on_read(-ENOENT, disk.arg);
	cr_expect_eq(rig_count_log("No such file"), 0);
	cr_expect(has_dictionary_error(&b));
	/* the next worker reads both again, and has as long for it */
	disk.on_read = NULL;
	cr_assert_eq(kill(rig_find_child("epg"), SIGKILL), 0);
	cr_expect_eq(epg_bench_ask(&b, &a), 0);
	epg_bench_wait_answer(&b, &a);
	rig_run_until(b.rig.loop, is_asked, NULL, PATIENCE_MS,
		      "the next question for the dictionary");
	rig_run_for(b.rig.loop, 100);
	disk.on_read(-ENOENT, disk.arg);
	epg_bench_wait_loaded(&b);
	cr_expect_eq(rig_count_log("the disk does not answer"), 1);
	cr_expect_eq(rig_count_log("/dictionary: No such file"), 1);
	rig_run_until(b.rig.loop, has_one_event, &b, PATIENCE_MS,
		      "the saved event");
	epg_bench_done(&b);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real worker of the guide, through the master's side of it. */
#include "master/streams/epg_proc.h"

#include "common/base/alloc.h"
#include "common/base/fd.h"
#include "common/supervise/memfd.h"
#include "master/streams/epg_file.h"
#include "proto/ipc/channel.h"
#include "tests/component/rig.h"
#include "tests/component/service_rig.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000 };

struct bench {
	struct service_rig rig;
	struct epg_proc *proc;
	struct epg_times times;
	char folder[32];
	char *path;
	const char *id; /* of the stream */
};

/* A disk that does not answer: the calls that it got. */
static struct {
	bool hangs;
	epg_file_read_fn *on_read;
	epg_file_written_fn *on_written;
	void *arg;
} disk;

void __real_epg_file_read(struct epg_file *, size_t max, epg_file_read_fn *,
			  void *arg);
void __wrap_epg_file_read(struct epg_file *, size_t max, epg_file_read_fn *,
			  void *arg);
void __real_epg_file_write(struct epg_file *, int fd, size_t len,
			   epg_file_written_fn *, void *arg);
void __wrap_epg_file_write(struct epg_file *, int fd, size_t len,
			   epg_file_written_fn *, void *arg);

void __wrap_epg_file_read(struct epg_file *f, size_t max,
			  epg_file_read_fn *on_read, void *arg)
{
	disk.on_read = on_read;
	disk.arg = arg;
	if (!disk.hangs)
		__real_epg_file_read(f, max, on_read, arg);
}

void __wrap_epg_file_write(struct epg_file *f, int fd, size_t len,
			   epg_file_written_fn *on_written, void *arg)
{
	disk.on_written = on_written;
	disk.arg = arg;
	if (!disk.hangs)
		__real_epg_file_write(f, fd, len, on_written, arg);
}

struct asked {
	unsigned done;
	size_t len;
	char error[128];
};

static const char *stream_at(size_t i, int *ret_ring, void *arg)
{
	const struct bench *b = arg;

	*ret_ring = -1;
	return i == 0 ? b->id : NULL;
}

static bool is_loaded(void *arg)
{
	const struct msg_epg_status *s = epg_proc_status(
		((const struct bench *)arg)->proc);

	return s != NULL && s->loaded;
}

static void write_file(const struct bench *b, const char *text)
{
	FILE *f = fopen(b->path, "w");

	cr_assert_not_null(f);
	cr_assert_geq(fputs(text, f), 0);
	cr_assert_eq(fclose(f), 0);
}

static void start(struct bench *b)
{
	struct service_config config = service_rig_config(&b->rig);
	json_t *settings = json_pack("{s:i, s:i, s:i}", "epg_days", 2,
				     "epg_services", 0, "epg_memory", 0);

	b->proc = epg_proc_new(&config, &(struct epg_config){
		.settings = settings, .path = b->path, .times = b->times,
		.stream_at = stream_at, .arg = b });
	json_decref(settings);
}

static void setup_with(struct bench *b, const char *saved,
		       struct epg_times times)
{
	*b = (struct bench){ .folder = "/tmp/epg.XXXXXX", .id = "a",
			     .times = times };
	cr_assert_not_null(mkdtemp(b->folder));
	b->path = xasprintf("%s/epg", b->folder);
	if (saved != NULL)
		write_file(b, saved);
	service_rig_init(&b->rig, "sluice-worker");
	start(b);
}

/* saved: the content of the file; NULL: there is none. */
static void setup(struct bench *b, const char *saved)
{
	setup_with(b, saved, (struct epg_times){ 0 });
}

static void teardown(struct bench *b)
{
	service_rig_stop(&b->rig, epg_proc_service(b->proc));
	epg_proc_free(&b->proc);
	service_rig_done(&b->rig);
	(void)unlink(b->path);
	(void)rmdir(b->folder);
	free(b->path);
}

static void wait_loaded(struct bench *b)
{
	rig_run_until(b->rig.loop, is_loaded, b, PATIENCE_MS, "a status");
}

static void on_done(const struct epg_answer *answer, void *arg)
{
	struct asked *a = arg;

	a->len = answer->len;
	(void)snprintf(a->error, sizeof a->error, "%s", answer->error);
	a->done++;
}

static bool is_done(void *arg)
{
	return ((const struct asked *)arg)->done > 0;
}

static int ask(struct bench *b, struct asked *a)
{
	const struct msg_epg_ask question = {
		.stream = b->id, .to_s = UINT32_MAX, .max = 10 };

	*a = (struct asked){ 0 };
	return epg_proc_ask(b->proc, &question, on_done, a);
}

static void wait_answer(struct bench *b, struct asked *a)
{
	rig_run_until(b->rig.loop, is_done, a, PATIENCE_MS, "an answer");
}

/* A saved event of the stream that begins in an hour. */
static void format_event(char *text, size_t size, const char *stream)
{
	long long start_s = (long long)time(NULL) + 3600;

	(void)snprintf(text, size, "{\"stream\":\"%s\",\"pnr\":7,\"event\":{"
		       "\"event_id\":1,\"start\":%lld,\"stop\":%lld,"
		       "\"running_status\":0,\"texts\":[]}}\n", stream,
		       start_s, start_s + 60);
}

static pid_t pause_worker(void)
{
	pid_t pid = rig_find_child("epg");

	cr_assert_gt(pid, 0);
	cr_assert_eq(kill(pid, SIGSTOP), 0);
	return pid;
}

/* The worker has loaded an event of the stream. */
static void setup_event(struct bench *b)
{
	char text[300];

	format_event(text, sizeof text, "a");
	setup(b, text);
	wait_loaded(b);
}

static bool has_one_event(void *arg)
{
	const struct bench *b = arg;

	return epg_proc_status(b->proc)->events == 1;
}

Test(epg_proc, the_saved_guide_is_loaded_and_unknown_streams_go)
{
	char text[500];
	struct asked a;
	struct bench b;

	format_event(text, sizeof text, "a");
	format_event(text + strlen(text), sizeof text - strlen(text), "gone");
	(void)strcat(text, "no event\n");
	setup(&b, text);
	wait_loaded(&b);
	cr_expect_eq(ask(&b, &a), 0);
	wait_answer(&b, &a);
	cr_expect_gt(a.len, 0);
	rig_run_until(b.rig.loop, has_one_event, &b, PATIENCE_MS,
		      "a status of one event");
	cr_expect_eq(rig_count_log("1 lines are unreadable"), 1);
	teardown(&b);
}

static bool file_has(const struct bench *b, const char *what)
{
	char text[500] = "";
	FILE *f = fopen(b->path, "r");

	if (f == NULL)
		return false;
	(void)!fread(text, 1, sizeof text - 1, f);
	(void)fclose(f);
	return strstr(text, what) != NULL;
}

static bool file_has_new_id(void *arg)
{
	return file_has(arg, "\"stream\":\"b\"");
}

static bool file_has_third_id(void *arg)
{
	return file_has(arg, "\"stream\":\"c\"");
}

Test(epg_proc, a_new_id_is_saved_with_the_guide_of_the_stream)
{
	struct bench b;

	setup_event(&b);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	teardown(&b);
}

static bool is_gone(void *arg)
{
	return ((const struct bench *)arg)->rig.gone;
}

Test(epg_proc, a_stop_saves_the_last_changes)
{
	struct bench b;

	setup_event(&b);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	/* the next save would be seconds later */
	epg_proc_rename_stream(b.proc, "b", "c", -1);
	epg_proc_stop(b.proc);
	rig_run_until(b.rig.loop, is_gone, &b, PATIENCE_MS, "a stop");
	cr_expect(file_has_third_id(&b));
	teardown(&b);
}

Test(epg_proc, a_stop_does_not_wait_for_a_worker_that_hangs)
{
	struct bench b;

	setup_event(&b);
	(void)pause_worker();
	epg_proc_stop(b.proc);
	rig_run_until(b.rig.loop, is_gone, &b, PATIENCE_MS, "a stop");
	cr_expect_eq(rig_count_log("no answer in time: changes since"), 1);
	teardown(&b);
}

static bool is_flushed(void *arg)
{
	return epg_proc_is_flushed(((const struct bench *)arg)->proc);
}

Test(epg_proc, a_flush_saves_the_last_changes)
{
	struct bench b;

	setup_event(&b);
	cr_expect(epg_proc_is_flushed(b.proc));
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	/* the next save would be seconds later */
	epg_proc_rename_stream(b.proc, "b", "c", -1);
	epg_proc_flush(b.proc);
	cr_expect(!epg_proc_is_flushed(b.proc));
	rig_run_until(b.rig.loop, is_flushed, &b, PATIENCE_MS, "the flush");
	cr_expect(file_has_third_id(&b));
	teardown(&b);
}

Test(epg_proc, a_flush_ends_with_the_worker)
{
	struct bench b;
	pid_t pid;

	setup_event(&b);
	pid = pause_worker();
	epg_proc_flush(b.proc);
	cr_expect(!epg_proc_is_flushed(b.proc));
	cr_assert_eq(kill(pid, SIGKILL), 0);
	rig_run_until(b.rig.loop, is_flushed, &b, PATIENCE_MS, "its end");
	teardown(&b);
}

Test(epg_proc, changes_are_saved_again_after_an_interval)
{
	char text[300];
	struct bench b;

	format_event(text, sizeof text, "a");
	setup_with(&b, text, (struct epg_times){ .save_ms = 500 });
	wait_loaded(&b);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	epg_proc_rename_stream(b.proc, "b", "c", -1);
	rig_run_until(b.rig.loop, file_has_third_id, &b, PATIENCE_MS,
		      "another");
	teardown(&b);
}

Test(epg_proc, a_worker_that_ends_during_a_stop_is_no_failed_save)
{
	struct bench b;
	pid_t pid;

	setup_event(&b);
	pid = pause_worker();
	epg_proc_stop(b.proc);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	rig_run_until(b.rig.loop, is_gone, &b, PATIENCE_MS, "a stop");
	cr_expect_eq(rig_count_log("the guide is not saved"), 0);
	teardown(&b);
}

/* The stream has another id than in the saved guide. */
static void expect_guide(struct bench *b)
{
	struct asked a;

	wait_loaded(b);
	cr_expect_eq(ask(b, &a), 0);
	wait_answer(b, &a);
	cr_expect_gt(a.len, 0, "%s", a.error);
	teardown(b);
}

Test(epg_proc, a_new_id_before_the_worker_runs_keeps_the_saved_guide)
{
	char text[300];
	struct bench b;

	format_event(text, sizeof text, "a");
	setup(&b, text);
	b.id = "b";
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	expect_guide(&b);
}

static bool is_reported(void *arg)
{
	(void)arg;
	return rig_count_log("the guide is not saved: cannot create") > 0;
}

Test(epg_proc, a_guide_that_is_not_saved_is_reported)
{
	struct bench b;

	setup_event(&b);
	cr_assert_eq(unlink(b.path), 0);
	cr_assert_eq(rmdir(b.folder), 0);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, is_reported, NULL, PATIENCE_MS, "a line");
	teardown(&b);
}

Test(epg_proc, an_answer_has_a_deadline)
{
	struct asked a;
	struct bench b;
	pid_t pid;

	setup(&b, NULL);
	wait_loaded(&b);
	pid = pause_worker();
	cr_expect_eq(ask(&b, &a), 0);
	wait_answer(&b, &a);
	cr_expect_eq(a.len, 0);
	cr_expect_str_eq(a.error, "no answer in time");
	cr_assert_eq(kill(pid, SIGCONT), 0);
	teardown(&b);
}

Test(epg_proc, the_end_of_the_worker_ends_questions_which_are_bounded)
{
	struct asked a[EPG_ASKS_MAX], more;
	struct bench b;
	pid_t pid;

	setup(&b, NULL);
	cr_expect_eq(ask(&b, &more), -EBUSY, "it has no limits yet");
	wait_loaded(&b);
	pid = pause_worker();
	for (size_t i = 0; i < EPG_ASKS_MAX; i++)
		cr_expect_eq(ask(&b, &a[i]), 0);
	cr_expect_eq(ask(&b, &more), -EBUSY);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	for (size_t i = 0; i < EPG_ASKS_MAX; i++) {
		wait_answer(&b, &a[i]);
		cr_expect_eq(a[i].done, 1);
		cr_expect_str_eq(a[i].error,
				 "the process that keeps the guide ended");
	}
	/* the successor answers */
	wait_loaded(&b);
	cr_expect_eq(ask(&b, &a[0]), 0);
	wait_answer(&b, &a[0]);
	cr_expect_str_eq(a[0].error, "the stream has no guide");
	teardown(&b);
}

static bool is_idle(void *arg)
{
	const struct bench *b = arg;

	return channel_is_idle(service_proc_channel(
		epg_proc_service(b->proc)));
}

/* So many channels are written in several parts. */
static void write_xmltv(struct bench *b, struct asked *a)
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
	cr_expect_eq(epg_proc_write_xmltv(b->proc, fd, false, on_done, a), 0);
	fd_close(&fd);
}

/* The master does not wait for the former one any more. */
Test(epg_proc, a_document_that_takes_too_long_does_not_keep_the_next_away)
{
	struct asked former = { 0 }, next = { 0 };
	struct bench b;
	pid_t pid;

	setup(&b, NULL);
	wait_loaded(&b);
	/* so that it gets both at once */
	pid = pause_worker();
	write_xmltv(&b, &former);
	write_xmltv(&b, &next);
	rig_run_until(b.rig.loop, is_idle, &b, PATIENCE_MS, "the questions");
	cr_assert_eq(kill(pid, SIGCONT), 0);
	wait_answer(&b, &next);
	cr_expect_gt(next.len, 0, "%s", next.error);
	teardown(&b);
}

static bool has_channel(void *arg)
{
	const struct bench *b = arg;

	return service_proc_channel(epg_proc_service(b->proc)) != NULL;
}

/* The worker has its limits. */
static bool is_started(void *arg)
{
	static struct asked a;

	return ask(arg, &a) == 0;
}

Test(epg_proc, a_file_that_ended_the_worker_is_not_given_to_the_next)
{
	char text[300];
	struct bench b;

	format_event(text, sizeof text, "a");
	setup(&b, text);
	rig_run_until(b.rig.loop, has_channel, &b, PATIENCE_MS, "a hello");
	/* before it gets the file, which a thread is reading */
	cr_assert_eq(kill(rig_find_child("epg"), SIGSTOP), 0);
	rig_run_until(b.rig.loop, is_started, &b, PATIENCE_MS, "its start");
	cr_assert_eq(kill(rig_find_child("epg"), SIGKILL), 0);
	wait_loaded(&b);
	cr_expect_eq(epg_proc_status(b.proc)->events, 0);
	cr_expect_eq(rig_count_log("the guide begins empty"), 1);
	teardown(&b);
}

/* The event is behind JUNK bytes, which the worker reads in parts: it takes the
 * messages meanwhile. */
static void write_late_event(const struct bench *b)
{
	enum { JUNK = 8 << 20 };
	char *text = xmalloc(JUNK + 300);

	memset(text, 'x', JUNK);
	text[JUNK - 1] = '\n';
	format_event(text + JUNK, 300, "a");
	write_file(b, text);
	free(text);
}

Test(epg_proc, a_new_id_while_the_saved_guide_is_loaded_keeps_it)
{
	struct bench b;
	pid_t pid;

	setup(&b, NULL);
	write_late_event(&b);
	rig_run_until(b.rig.loop, has_channel, &b, PATIENCE_MS, "a hello");
	pid = pause_worker();
	rig_run_until(b.rig.loop, is_started, &b, PATIENCE_MS, "its start");
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
	struct bench b;

	format_event(text, sizeof text, "a");
	disk.hangs = true;
	setup_with(&b, text, (struct epg_times){ .read_ms = 100 });
	wait_loaded(&b);
	cr_expect_eq(rig_count_log("does not answer: the guide begins"), 1);
	cr_expect_eq(epg_proc_status(b.proc)->events, 0);
	/* a late answer is ignored */
	disk.on_read(-ENODATA, disk.arg);
	cr_expect_eq(rig_count_log("is not readable"), 1);
	cr_expect_eq(ask(&b, &a), 0);
	wait_answer(&b, &a);
	cr_expect_str_eq(a.error, "the stream has no guide");
	teardown(&b);
}

static bool is_hung(void *arg)
{
	(void)arg;
	return rig_count_log("not saved: the disk does not answer") > 0;
}

Test(epg_proc, a_save_that_hangs_is_reported_once_and_when_it_ends)
{
	char text[300];
	struct bench b;

	format_event(text, sizeof text, "a");
	setup_with(&b, text, (struct epg_times){ .write_ms = 100 });
	wait_loaded(&b);
	disk.hangs = true;
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, is_hung, NULL, PATIENCE_MS, "a line");
	rig_run_for(b.rig.loop, 300);
	cr_expect_eq(rig_count_log("the guide is not saved"), 1);
	disk.on_written(0, NULL, disk.arg);
	cr_expect_eq(rig_count_log("the guide is saved again"), 1);
	teardown(&b);
}

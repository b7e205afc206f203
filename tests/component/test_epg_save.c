/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of the guide: after changes, before a restart and at the end. */
#include "master/streams/epg_file.h"
#include "tests/component/epg_bench.h"
#include "tests/component/rig.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATIENCE_MS = EPG_BENCH_PATIENCE_MS };

/* A disk that does not answer: the calls that it got. */
static struct {
	bool hangs;
	epg_file_written_fn *on_written;
	void *arg;
} disk;

void __real_epg_file_write(struct epg_file *, int fd, size_t len,
			   epg_file_written_fn *, void *arg);
void __wrap_epg_file_write(struct epg_file *, int fd, size_t len,
			   epg_file_written_fn *, void *arg);

void __wrap_epg_file_write(struct epg_file *f, int fd, size_t len,
			   epg_file_written_fn *on_written, void *arg)
{
	disk.on_written = on_written;
	disk.arg = arg;
	if (!disk.hangs)
		__real_epg_file_write(f, fd, len, on_written, arg);
}

/* id: of a stream, with its NUL and the number of its service. */
static bool file_has(const struct epg_bench *b, const char id[4])
{
	char text[500] = "";
	FILE *f = fopen(b->path, "r");
	size_t n;

	if (f == NULL)
		return false;
	n = fread(text, 1, sizeof text, f);
	(void)fclose(f);
	return memmem(text, n, id, 4) != NULL;
}

static bool file_has_new_id(void *arg)
{
	return file_has(arg, "b\0\0\7");
}

static bool file_has_third_id(void *arg)
{
	return file_has(arg, "c\0\0\7");
}

Test(epg_save, a_new_id_is_saved_with_the_guide_of_the_stream)
{
	struct epg_bench b;

	epg_bench_init_event(&b);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	epg_bench_done(&b);
}

static bool is_gone(void *arg)
{
	return ((const struct epg_bench *)arg)->rig.gone;
}

Test(epg_save, a_stop_saves_the_last_changes)
{
	struct epg_bench b;

	epg_bench_init_event(&b);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	/* the next save would be seconds later */
	epg_proc_rename_stream(b.proc, "b", "c", -1);
	epg_proc_stop(b.proc);
	rig_run_until(b.rig.loop, is_gone, &b, PATIENCE_MS, "a stop");
	cr_expect(file_has_third_id(&b));
	epg_bench_done(&b);
}

Test(epg_save, a_stop_does_not_wait_for_a_worker_that_hangs)
{
	struct epg_bench b;

	epg_bench_init_event(&b);
	(void)epg_bench_pause();
	epg_proc_stop(b.proc);
	rig_run_until(b.rig.loop, is_gone, &b, PATIENCE_MS, "a stop");
	cr_expect_eq(rig_count_log("not answer in time: changes since"), 1);
	epg_bench_done(&b);
}

static bool is_flushed(void *arg)
{
	return epg_proc_is_flushed(((const struct epg_bench *)arg)->proc);
}

Test(epg_save, a_flush_saves_the_last_changes)
{
	struct epg_bench b;

	epg_bench_init_event(&b);
	cr_expect(epg_proc_is_flushed(b.proc));
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	/* the next save would be seconds later */
	epg_proc_rename_stream(b.proc, "b", "c", -1);
	epg_proc_flush(b.proc);
	cr_expect(!epg_proc_is_flushed(b.proc));
	rig_run_until(b.rig.loop, is_flushed, &b, PATIENCE_MS, "the flush");
	cr_expect(file_has_third_id(&b));
	epg_bench_done(&b);
}

Test(epg_save, a_flush_ends_with_the_worker)
{
	struct epg_bench b;
	pid_t pid;

	epg_bench_init_event(&b);
	pid = epg_bench_pause();
	epg_proc_flush(b.proc);
	cr_expect(!epg_proc_is_flushed(b.proc));
	cr_assert_eq(kill(pid, SIGKILL), 0);
	rig_run_until(b.rig.loop, is_flushed, &b, PATIENCE_MS, "its end");
	epg_bench_done(&b);
}

Test(epg_save, changes_are_saved_again_after_an_interval)
{
	char text[300];
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	epg_bench_init_with(&b, text, (struct epg_times){ .save_ms = 500 });
	epg_bench_wait_loaded(&b);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, file_has_new_id, &b, PATIENCE_MS, "a save");
	epg_proc_rename_stream(b.proc, "b", "c", -1);
	rig_run_until(b.rig.loop, file_has_third_id, &b, PATIENCE_MS,
		      "another");
	epg_bench_done(&b);
}

Test(epg_save, a_worker_that_ends_during_a_stop_is_no_failed_save)
{
	struct epg_bench b;
	pid_t pid;

	epg_bench_init_event(&b);
	pid = epg_bench_pause();
	epg_proc_stop(b.proc);
	cr_assert_eq(kill(pid, SIGKILL), 0);
	rig_run_until(b.rig.loop, is_gone, &b, PATIENCE_MS, "a stop");
	cr_expect_eq(rig_count_log("the programme guide is not saved"), 0);
	epg_bench_done(&b);
}

static bool is_reported(void *arg)
{
	(void)arg;
	return rig_count_log("the programme guide is not saved: cannot create")
	       > 0;
}

Test(epg_save, a_guide_that_is_not_saved_is_reported)
{
	struct epg_bench b;

	epg_bench_init_event(&b);
	cr_assert_eq(unlink(b.path), 0);
	cr_assert_eq(rmdir(b.folder), 0);
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, is_reported, NULL, PATIENCE_MS, "a line");
	epg_bench_done(&b);
}

static bool is_hung(void *arg)
{
	(void)arg;
	return rig_count_log("not saved: the disk does not answer") > 0;
}

Test(epg_save, a_save_that_hangs_is_reported_once_and_when_it_ends)
{
	char text[300];
	struct epg_bench b;

	epg_bench_format_event(text, sizeof text, "a");
	epg_bench_init_with(&b, text, (struct epg_times){ .write_ms = 100 });
	epg_bench_wait_loaded(&b);
	disk.hangs = true;
	epg_proc_rename_stream(b.proc, "a", "b", -1);
	rig_run_until(b.rig.loop, is_hung, NULL, PATIENCE_MS, "a line");
	rig_run_for(b.rig.loop, 300);
	cr_expect_eq(rig_count_log("the programme guide is not saved"), 1);
	disk.on_written(0, NULL, disk.arg);
	cr_expect_eq(rig_count_log("the programme guide is saved again"), 1);
	epg_bench_done(&b);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings while other processes move, remove and write files. */
#include "worker/output/file_store.h"

#include "common/base/fd.h"
#include "tests/unit/worker/splice/source.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

time_t __wrap_time(time_t *ret);
int __real_flock(int fd, int how);
int __wrap_flock(int fd, int how);
int __real_fstatvfs(int fd, struct statvfs *ret);
int __wrap_fstatvfs(int fd, struct statvfs *ret);

static time_t now = 1005;

time_t __wrap_time(time_t *ret)
{
	if (ret != NULL)
		*ret = now;
	return now;
}

/* Bytes that the previous owner of the lock wrote at the last moment. */
static size_t late_bytes;

int __wrap_flock(int fd, int how)
{
	struct stat st;

	if (late_bytes > 0 && fstat(fd, &st) == 0)
		cr_assert_eq(ftruncate(fd, st.st_size + (off_t)late_bytes), 0);
	return __real_flock(fd, how);
}

static bool full;
static fsblkcnt_t free_kib; /* 0: the real number */

int __wrap_fstatvfs(int fd, struct statvfs *ret)
{
	int r = __real_fstatvfs(fd, ret);

	if (full)
		ret->f_bavail = 0;
	if (free_kib > 0) {
		ret->f_bavail = free_kib;
		ret->f_frsize = 1024;
	}
	return r;
}

struct rec {
	char folder[32];
	struct output_spec spec;
	struct file_store store;
	struct source *source;
	struct errmsg error;
};

static void rec_init(struct rec *r, const char *name, const char *options)
{
	char address[96];

	*r = (struct rec){ .folder = "/tmp/store-XXXXXX" };
	cr_assert_not_null(mkdtemp(r->folder));
	r->source = source_new(90000);
	(void)snprintf(address, sizeof address, "file://%s/%s#min_free=0%s",
		       r->folder, name, options);
	cr_assert_eq(output_spec_parse(address, &r->spec, NULL, NULL,
				       &r->error), 0, "%s", r->error.text);
	cr_assert_eq(file_store_open(&r->store, &r->spec, &r->error), 0);
}

static void rec_done(struct rec *r)
{
	char command[64];

	file_store_close(&r->store);
	free(r->source);
	(void)snprintf(command, sizeof command, "rm -r %s", r->folder);
	cr_assert_eq(system(command), 0);
}

/* Writes n packets. */
static int record(struct rec *r, size_t n)
{
	return file_store_write(&r->store, source_make(r->source, n).data,
				n * TS_PACKET, &r->error);
}

static int check(struct rec *r)
{
	return file_store_check(&r->store, &r->error);
}

/* The number of packets in a file; -1: no file. */
static long packets(const struct rec *r, const char *name)
{
	struct stat st;
	char path[64];

	(void)snprintf(path, sizeof path, "%s/%s", r->folder, name);
	if (stat(path, &st) < 0)
		return -1;
	cr_assert_eq(st.st_size % TS_PACKET, 0);
	return st.st_size / TS_PACKET;
}

static unsigned files(const struct rec *r)
{
	DIR *dir = opendir(r->folder);
	unsigned n = 0;

	cr_assert_not_null(dir);
	for (struct dirent *d = readdir(dir); d != NULL; d = readdir(dir))
		n += d->d_name[0] != '.';
	(void)closedir(dir);
	return n;
}

static void move(const struct rec *r, const char *from, const char *to)
{
	char a[64], b[64];

	(void)snprintf(a, sizeof a, "%s/%s", r->folder, from);
	(void)snprintf(b, sizeof b, "%s/%s", r->folder, to);
	cr_assert_eq(rename(a, b), 0);
}

static void drop(const struct rec *r, const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof path, "%s/%s", r->folder, name);
	cr_assert_eq(remove(path), 0);
}

Test(file_store, starts_a_new_file_after_a_move)
{
	struct rec r;

	rec_init(&r, "a.ts", "");
	cr_assert_eq(record(&r, 100), 0);
	cr_assert_eq(check(&r), 0);
	cr_assert_eq(record(&r, 100), 0);
	move(&r, "a.ts", "b.ts");
	cr_assert_eq(check(&r), 0);
	cr_assert_eq(record(&r, 50), 0);
	cr_assert_eq(packets(&r, "b.ts"), 200);
	cr_assert_eq(packets(&r, "a.ts"), 50);
	/* a removed file must not occupy disk space */
	drop(&r, "a.ts");
	cr_assert_eq(check(&r), 0);
	cr_assert_lt(r.store.fd, 0);
	cr_assert_eq(record(&r, 30), 0);
	cr_assert_eq(packets(&r, "a.ts"), 30);
	rec_done(&r);
}

Test(file_store, opens_a_moved_folder_again_by_its_name)
{
	struct rec r;
	char old[40];

	rec_init(&r, "a.ts", "");
	(void)snprintf(old, sizeof old, "%s.old", r.folder);
	cr_assert_eq(record(&r, 100), 0);
	cr_assert_eq(rename(r.folder, old), 0);
	cr_assert_eq(check(&r), -ENOENT);
	cr_assert_not_null(strstr(r.error.text, r.folder));
	file_store_close(&r.store);

	/* a link to the folder is the same folder */
	cr_assert_eq(symlink(old, r.folder), 0);
	cr_assert_eq(file_store_open(&r.store, &r.spec, &r.error), 0);
	cr_assert_eq(record(&r, 10), 0);
	cr_assert_eq(check(&r), 0);
	cr_assert_geq(r.store.fd, 0, "the same");
	cr_assert_eq(packets(&r, "a.ts"), 110);

	/* another folder, as after a mount */
	cr_assert_eq(unlink(r.folder), 0);
	cr_assert_eq(mkdir(r.folder, 0700), 0);
	cr_assert_eq(check(&r), 0);
	cr_assert_eq(record(&r, 20), 0);
	cr_assert_eq(packets(&r, "a.ts"), 20);
	cr_assert_eq(rename(old, r.folder), -1);
	drop(&r, "a.ts");
	cr_assert_eq(rename(old, r.folder), 0);
	cr_assert_eq(packets(&r, "a.ts"), 110);
	rec_done(&r);
}

/* Each retry would create one. */
Test(file_store, leaves_no_empty_files_on_a_disk_that_rejects_writes)
{
	struct rlimit none = { .rlim_max = RLIM_INFINITY };
	struct rec r;

	(void)signal(SIGXFSZ, SIG_IGN);
	rec_init(&r, "a.ts", "&rotate_time=10");
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(record(&r, 10), -EFBIG);
		cr_assert_not_null(strstr(r.error.text,
					  "a.ts: File too large"));
		file_store_close(&r.store);
		cr_assert_eq(file_store_open(&r.store, &r.spec, &r.error), 0);
		now += 3;
	}
	cr_assert_eq(files(&r), 0);
	none.rlim_cur = RLIM_INFINITY;
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	cr_assert_eq(record(&r, 10), 0);
	cr_assert_eq(files(&r), 1);
	rec_done(&r);
}

Test(file_store, a_clock_set_back_does_not_stop_rotation)
{
	struct rec r;

	rec_init(&r, "%s.ts", "&rotate_time=10");
	cr_assert_eq(record(&r, 2 * SOURCE_RATE), 0);
	/* within the ten seconds of this file */
	now = 1001;
	cr_assert_eq(record(&r, 2 * SOURCE_RATE), 0);
	cr_assert_eq(files(&r), 1);
	now = 500;
	cr_assert_eq(record(&r, 2 * SOURCE_RATE), 0);
	cr_assert_eq(files(&r), 2);
	now = 509;
	cr_assert_eq(record(&r, 2 * SOURCE_RATE), 0);
	cr_assert_eq(files(&r), 2);
	now = 100000;
	cr_assert_eq(record(&r, 2 * SOURCE_RATE), 0);
	cr_assert_eq(files(&r), 3);
	/* the same second again: the name exists */
	now = 500;
	cr_assert_eq(record(&r, 2 * SOURCE_RATE), 0);
	cr_assert_gt(packets(&r, "500-1.ts"), 0);
	rec_done(&r);
}

Test(file_store, locks_its_file)
{
	struct file_store other;
	struct rec r;

	rec_init(&r, "a.ts", "");
	cr_assert_eq(record(&r, 100), 0);
	cr_assert_eq(file_store_open(&other, &r.spec, &r.error), 0);
	cr_assert_eq(file_store_write(&other, r.source->data, TS_PACKET,
				      &r.error), -EBUSY);
	cr_assert_str_eq(r.error.text, "a.ts: locked by another recording");
	file_store_pause(&r.store);
	/* the next writer appends to the whole file */
	late_bytes = 100 * TS_PACKET;
	cr_assert_eq(file_store_write(&other, r.source->data, TS_PACKET,
				      &r.error), 0);
	file_store_close(&other);
	cr_assert_eq(packets(&r, "a.ts"), 201);
	rec_done(&r);
}

Test(file_store, a_full_disk_has_room_again_with_a_tenth_more_than_min_free)
{
	static const struct {
		unsigned min_mib, kib;
		bool full;
	} steps[] = {
		{ 1, 1025, false }, { 1, 1024, false }, { 1, 1023, true },
		{ 1, 1126, true }, { 1, 1127, false }, { 1, 1100, false },
		{ 20, 20480, false }, { 20, 20479, true }, { 20, 22527, true },
		{ 20, 22528, false },
	};
	struct rec r;

	rec_init(&r, "a.ts", "");
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		r.spec.file.min_free_mib = steps[i].min_mib;
		free_kib = steps[i].kib;
		cr_assert_eq(check(&r), 0);
		cr_expect_eq(r.store.full, steps[i].full, "step %zu", i);
		cr_expect_eq(r.store.free, steps[i].kib * 1024);
	}
	free_kib = 0;
	rec_done(&r);
}

Test(file_store, creates_no_file_on_a_full_disk)
{
	struct rec r;

	rec_init(&r, "a-%s.ts", "&rotate_time=3600");
	full = true;
	for (int i = 0; i < 3; i++)
		cr_assert_eq(record(&r, 10), -ENOSPC);
	cr_assert_str_eq(r.error.text, "a-%s.ts: No space left on device");
	cr_assert_eq(files(&r), 0);
	full = false;
	cr_assert_eq(record(&r, 10), 0);
	cr_assert_eq(files(&r), 1);
	/* an open file continues until the disk rejects a write */
	full = true;
	cr_assert_eq(record(&r, 10), 0);
	rec_done(&r);
}

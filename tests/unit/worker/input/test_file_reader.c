/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/file_reader.h"

#include "common/base/mono.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { PATIENCE_MS = 30000 };

ssize_t __real_pread(int fd, void *to, size_t len, off_t offset);
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset);

static atomic_bool mute;
static atomic_uint reads, answers;
static sem_t go_on;

/* A disk that answers when the test allows it. */
ssize_t __wrap_pread(int fd, void *to, size_t len, off_t offset)
{
	ssize_t n;

	(void)atomic_fetch_add(&reads, 1);
	if (atomic_load(&mute))
		(void)sem_wait(&go_on);
	n = __real_pread(fd, to, len, offset);
	(void)atomic_fetch_add(&answers, 1);
	return n;
}

static void make_file(char path[32], size_t len)
{
	char *data = malloc(len + 1);
	int fd;

	cr_assert_not_null(data);
	memset(data, 'x', len);
	(void)strcpy(path, "/tmp/reader-XXXXXX");
	fd = mkstemp(path);
	cr_assert_geq(fd, 0);
	cr_assert_eq(write(fd, data, len), (ssize_t)len);
	(void)close(fd);
	free(data);
}

static struct file_reader *open_reader(const char *path, bool loop)
{
	int err;
	struct file_reader *r = file_reader_new(path, loop, false, &err);

	cr_assert_not_null(r);
	return r;
}

static const struct file_block *await_block(struct file_reader *r)
{
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	while (file_reader_peek(r) == NULL && mono_ms() < end_ms)
		(void)usleep(200);
	cr_assert_not_null(file_reader_peek(r), "nothing came");
	return file_reader_peek(r);
}

static void expect(struct file_reader *r, enum file_block_kind kind,
		   size_t len)
{
	const struct file_block *b = await_block(r);

	cr_assert_eq(b->kind, kind, "%d", b->kind);
	cr_assert_eq(b->len, len, "%zu", b->len);
	file_reader_drop(r);
}

/* A file of a list. */
static void expect_path(struct file_reader *r, enum file_block_kind kind,
			size_t at, const char *path)
{
	const struct file_block *b = await_block(r);

	cr_assert_eq(b->at, at);
	cr_assert_str_eq((const char *)b->data, path);
	expect(r, kind, 0);
}

Test(file_reader, reads_a_file_to_its_end)
{
	struct file_reader *r;
	char path[32];

	make_file(path, FILE_BLOCK + 5);
	r = open_reader(path, false);
	expect(r, FILE_BLOCK_DATA, FILE_BLOCK);
	expect(r, FILE_BLOCK_DATA, 5);
	expect(r, FILE_BLOCK_END, 0);
	expect(r, FILE_BLOCK_LAST, 0);
	cr_assert_null(file_reader_peek(r));
	file_reader_free(&r);
	cr_assert_null(r);
	(void)unlink(path);
}

Test(file_reader, repeats_a_looped_file_unless_it_is_empty)
{
	struct file_reader *r;
	char path[32], empty[32];

	make_file(path, 5);
	make_file(empty, 0);
	r = open_reader(path, true);
	for (int i = 0; i < 20; i++) {
		expect(r, FILE_BLOCK_DATA, 5);
		expect(r, FILE_BLOCK_END, 0);
	}
	file_reader_free(&r);
	r = open_reader(empty, true);
	expect(r, FILE_BLOCK_END, 0);
	expect(r, FILE_BLOCK_LAST, 0);
	cr_assert_null(file_reader_peek(r));
	file_reader_free(&r);
	(void)unlink(path);
	(void)unlink(empty);
}

static void write_list(const char *list, const char *file)
{
	char fresh[40];
	FILE *f;

	(void)snprintf(fresh, sizeof fresh, "%s.new", list);
	f = fopen(fresh, "w");
	cr_assert_not_null(f);
	(void)fprintf(f, "%s\n", file);
	(void)fclose(f);
	cr_assert_eq(rename(fresh, list), 0);
}

/* However far ahead it may read. */
Test(file_reader, reads_a_replaced_list_in_the_next_round)
{
	struct file_reader *r;
	char one[32], two[32], list[32];
	int err;

	make_file(one, 5);
	make_file(two, 7);
	make_file(list, 0);
	write_list(list, one);
	r = file_reader_new(list, true, true, &err);
	cr_assert_not_null(r);
	expect(r, FILE_BLOCK_BEGIN, 0);
	expect(r, FILE_BLOCK_DATA, 5);
	cr_assert_eq(await_block(r)->kind, FILE_BLOCK_END);
	(void)usleep(20000); /* time enough to read on, if it did */
	write_list(list, two);
	expect(r, FILE_BLOCK_END, 0);
	expect(r, FILE_BLOCK_BEGIN, 0);
	expect(r, FILE_BLOCK_DATA, 7);
	file_reader_free(&r);
	(void)unlink(one);
	(void)unlink(two);
	(void)unlink(list);
}

Test(file_reader, reads_ahead_by_its_blocks)
{
	struct file_reader *r;
	char path[32];
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	make_file(path, 40 * FILE_BLOCK);
	r = open_reader(path, false);
	while (atomic_load(&answers) < FILE_BLOCKS && mono_ms() < end_ms)
		(void)usleep(200);
	/* the thread waits for room, not for the file */
	while (file_reader_waits_ms(r, mono_ns() + 1000000000) > 0 &&
	       mono_ms() < end_ms)
		(void)usleep(200);
	cr_assert_eq(atomic_load(&reads), (unsigned)FILE_BLOCKS);
	for (int i = 0; i < 40; i++)
		expect(r, FILE_BLOCK_DATA, FILE_BLOCK);
	expect(r, FILE_BLOCK_END, 0);
	file_reader_free(&r);
	(void)unlink(path);
}

Test(file_reader, reports_a_disk_that_does_not_answer_and_leaves_it_behind)
{
	struct file_reader *r;
	char path[32];
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	(void)sem_init(&go_on, 0, 0);
	atomic_store(&mute, true);
	make_file(path, 5);
	r = open_reader(path, false);
	while (file_reader_waits_ms(r, mono_ns()) <= FILE_HANGS_MS &&
	       mono_ms() < end_ms)
		(void)usleep(1000);
	cr_assert_gt(file_reader_waits_ms(r, mono_ns()),
		     (unsigned)FILE_HANGS_MS);
	cr_assert_null(file_reader_peek(r));
	/* file_reader_free() does not wait; the thread frees the reader */
	file_reader_free(&r);
	cr_assert_eq(atomic_load(&answers), 0u);
	(void)sem_post(&go_on);
	while (atomic_load(&answers) == 0 && mono_ms() < end_ms)
		(void)usleep(1000);
	cr_assert_eq(atomic_load(&answers), 1u);
	(void)unlink(path);
}

static void put_list(const char *path, const char *text)
{
	char new[64];
	FILE *file;

	(void)snprintf(new, sizeof new, "%s.new", path);
	file = fopen(new, "w");
	cr_assert_not_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
	/* whole, or not at all */
	cr_assert_eq(rename(new, path), 0);
}

static struct file_reader *open_list(const char *path, bool loop)
{
	int err;
	struct file_reader *r = file_reader_new(path, loop, true, &err);

	cr_assert_not_null(r);
	return r;
}

Test(file_reader, reads_the_list_again_in_each_round)
{
	char a[32], b[32], list[32], text[256];
	struct file_reader *r;

	make_file(a, 5);
	make_file(b, 7);
	make_file(list, 0);
	(void)snprintf(text, sizeof text, "#EXTM3U\r\n\n%s\r\n/no/such\n%s",
		       a, strrchr(b, '/') + 1);
	put_list(list, text);
	r = open_list(list, true);
	for (int i = 0; i < 8; i++) {
		expect_path(r, FILE_BLOCK_BEGIN, 0, a);
		expect(r, FILE_BLOCK_DATA, 5);
		expect(r, FILE_BLOCK_END, 0);
		cr_assert_str_eq(await_block(r)->error.text,
				 "No such file or directory");
		expect_path(r, FILE_BLOCK_SKIP, 1, "/no/such");
		expect_path(r, FILE_BLOCK_BEGIN, 2, b);
		expect(r, FILE_BLOCK_DATA, 7);
		expect(r, FILE_BLOCK_END, 0);
	}
	put_list(list, b);
	/* data that was read ahead is of the previous list */
	for (;;) {
		const struct file_block *block = await_block(r);
		bool is_b = block->kind == FILE_BLOCK_DATA && block->len == 7;

		file_reader_drop(r);
		if (is_b && await_block(r)->kind == FILE_BLOCK_END) {
			file_reader_drop(r);
			if (await_block(r)->at == 0) {
				file_reader_drop(r);
				if (await_block(r)->len == 7)
					break;
			}
		}
	}
	file_reader_free(&r);
	r = open_list(list, false);
	expect_path(r, FILE_BLOCK_BEGIN, 0, b);
	expect(r, FILE_BLOCK_DATA, 7);
	expect(r, FILE_BLOCK_END, 0);
	expect(r, FILE_BLOCK_LAST, 0);
	cr_assert_null(file_reader_peek(r));
	file_reader_free(&r);
	put_list(list, "/no/such\n");
	r = open_list(list, true);
	expect(r, FILE_BLOCK_SKIP, 0);
	expect(r, FILE_BLOCK_ERROR, 0);
	file_reader_free(&r);
	(void)unlink(a);
	(void)unlink(b);
	(void)unlink(list);
}

static void expect_error(const char *path, int err, const char *text)
{
	struct file_reader *r = open_reader(path, true);
	const struct file_block *b = await_block(r);

	cr_assert_eq(b->kind, FILE_BLOCK_ERROR);
	cr_assert_eq(b->err, err, "%s: %d", path, b->err);
	cr_assert_not_null(strstr(b->error.text, text), "%s", b->error.text);
	cr_assert_not_null(strstr(b->error.text, path), "%s", b->error.text);
	file_reader_free(&r);
}

Test(file_reader, names_the_type_of_a_path_that_is_no_file)
{
	char path[32];

	make_file(path, 0);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(mkfifo(path, 0600), 0);
	expect_error(path, -EINVAL, "is a pipe, not a file");
	(void)unlink(path);
	expect_error(path, -ENOENT, "No such file");
	expect_error("/tmp", -EINVAL, "is a folder, not a file");
	expect_error("/dev/null", -EINVAL, "is a device, not a file");
}

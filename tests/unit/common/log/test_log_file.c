/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "common/log/log_file.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The head of a line in a log of this program. */
#define HEAD "2026-11-20T12:34:56.789+01:00 info a: "

static char folder[] = "/tmp/log-file-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/log", folder);
}

static void name_of(int number, char ret[80])
{
	if (number == 0)
		(void)snprintf(ret, 80, "%s", path);
	else
		(void)snprintf(ret, 80, "%s.%d", path, number);
}

static void tear_down(void)
{
	char name[80];

	for (int i = 0; i <= LOG_FILE_ARCHIVES + 1; i++) {
		name_of(i, name);
		(void)unlink(name);
	}
	(void)rmdir(path);
	(void)rmdir(folder);
}

TestSuite(log_file, .init = set_up, .fini = tear_down);

static void expect(int number, const char *content)
{
	char name[80], found[256];
	size_t n;
	FILE *f;

	name_of(number, name);
	f = fopen(name, "r");
	cr_assert_not_null(f, "%s", name);
	n = fread(found, 1, sizeof found - 1, f);
	found[n] = '\0';
	(void)fclose(f);
	cr_expect_str_eq(found, content, "%s: %s", name, found);
}

static void put(struct log_file *f, const char *line)
{
	log_file_write(f, line, strlen(line));
}

Test(log_file, has_every_line_when_it_is_closed)
{
	struct log_file *f = log_file_open(path, 0);

	put(f, HEAD "one\n");
	put(f, "two\n");
	log_file_close(&f);
	cr_expect_null(f);
	log_file_close(&f);
	f = log_file_open(path, 0);
	put(f, "three\n");
	log_file_close(&f);
	expect(0, HEAD "one\ntwo\nthree\n");
}

Test(log_file, keeps_nine_archives)
{
	struct log_file *f = log_file_open(path, 2 * sizeof HEAD "l10");
	char line[80];

	for (int i = 10; i <= 35; i++) {
		(void)snprintf(line, sizeof line, HEAD "l%d\n", i);
		put(f, line);
	}
	log_file_close(&f);
	expect(0, HEAD "l34\n" HEAD "l35\n");
	expect(1, HEAD "l32\n" HEAD "l33\n");
	expect(LOG_FILE_ARCHIVES, HEAD "l16\n" HEAD "l17\n");
	name_of(LOG_FILE_ARCHIVES + 1, line);
	cr_expect_neq(access(line, F_OK), 0);
}

/* The name is chosen by a control user, and with it that of the archives. */
Test(log_file, replaces_no_file_of_another_kind)
{
	static const char other[] = "#!/bin/sh\n";
	char name[80];

	for (int i = 1; i <= LOG_FILE_ARCHIVES; i += 4) {
		struct log_file *f;
		unsigned dropped;
		FILE *file;

		name_of(i, name);
		file = fopen(name, "w");
		cr_assert_not_null(file);
		(void)fputs(other, file);
		(void)fclose(file);
		f = log_file_open(path, sizeof HEAD);
		put(f, HEAD "one\n");
		put(f, HEAD "two\n");
		while (log_file_result(f, &dropped) != -ENOTUNIQ)
			(void)usleep(1000);
		cr_expect_eq(dropped, 0);
		/* no rotation is due any more */
		log_file_limit(f, 0);
		put(f, HEAD "six\n");
		while (log_file_result(f, &dropped) != 0)
			(void)usleep(1000);
		log_file_close(&f);
		expect(i, other);
		expect(0, HEAD "one\n" HEAD "two\n" HEAD "six\n");
		name_of(0, name);
		(void)unlink(name);
		/* what is no file either */
		name_of(i, name);
		(void)unlink(name);
	}
}

Test(log_file, a_line_larger_than_the_file_may_be_is_alone_in_it)
{
	struct log_file *f = log_file_open(path, 4);

	put(f, "much too long\n");
	put(f, "next\n");
	log_file_close(&f);
	expect(0, "next\n");
	expect(1, "much too long\n");
}

/* A thread writes: asked until there is news, for half a minute at most. */
static int wait_for_news(struct log_file *f)
{
	int news = 1;

	for (int i = 0; i < 30000 && news > 0; i++) {
		news = log_file_news(f);
		if (news > 0)
			(void)usleep(1000);
	}
	return news;
}

Test(log_file, is_opened_before_the_first_line)
{
	struct log_file *f;
	unsigned dropped = 1;
	int result = 1;

	cr_assert_eq(mkdir(path, 0700), 0);
	f = log_file_open(path, 0);
	for (int i = 0; i < 30000 && result > 0; i++) {
		result = log_file_result(f, &dropped);
		(void)usleep(1000);
	}
	cr_expect_eq(result, -EISDIR);
	cr_expect_eq(dropped, 0);
	log_file_close(&f);
}

Test(log_file, counts_lines_that_the_disk_rejects)
{
	struct log_file *f;
	unsigned dropped = 0;

	/* a folder in its place */
	cr_assert_eq(mkdir(path, 0700), 0);
	f = log_file_open(path, 0);
	/* at once: its thread might wake between two */
	put(f, "one\ntwo\n");
	cr_expect_eq(wait_for_news(f), -EISDIR);
	cr_expect_eq(log_file_news(f), 1);
	for (int i = 0; i < 30000 && dropped < 2; i++) {
		cr_expect_eq(log_file_result(f, &dropped), -EISDIR);
		(void)usleep(1000);
	}
	cr_assert_eq(rmdir(path), 0);
	put(f, "three\n");
	cr_expect_eq(wait_for_news(f), 0);
	log_file_close(&f);
	expect(0, "log: 2 lines dropped: the disk failed or was too slow\n"
		  "three\n");
}

Test(log_file, a_fifo_is_not_written)
{
	struct log_file *f;

	cr_assert_eq(mkfifo(path, 0600), 0);
	f = log_file_open(path, 0);
	put(f, "one\n");
	cr_expect_lt(wait_for_news(f), 0);
	log_file_close(&f);
}

Test(log_file, a_file_that_is_left_is_still_written)
{
	struct log_file *f = log_file_open(path, 0);
	struct stat st = { 0 };

	put(f, "one\n");
	log_file_leave(&f);
	cr_expect_null(f);
	for (int i = 0; i < 30000 && st.st_size < 4; i++) {
		(void)usleep(1000);
		(void)stat(path, &st);
	}
	expect(0, "one\n");
}

/* Writes text to the file, and returns the result of a log there. */
static int log_onto(const char *text)
{
	static const char line[] = HEAD "b\n";
	struct log_file *f;
	unsigned dropped;
	int r = 1;

	if (text != NULL) {
		FILE *file = fopen(path, "w");

		cr_assert_not_null(file);
		cr_assert_geq(fputs(text, file), 0);
		cr_assert_eq(fclose(file), 0);
	}
	f = log_file_open(path, 0);
	log_file_write(f, line, sizeof line - 1);
	while (r > 0)
		r = log_file_result(f, &dropped);
	log_file_close(&f);
	return r;
}

Test(log_file, appends_to_no_file_of_another_kind)
{
	static const char *const others[] = {
		"{\"users\":{}}\n", "#!/bin/sh\n", "x", "2026-11-20", "\n",
		"2026-11-20 12:34:56.789 other program\n", "logs: x\n",
		"root:x:0:0:root:/root:/bin/bash\n",
	};
	struct stat before, after;
	char target[80];

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		cr_expect_eq(log_onto(others[i]), -EEXIST, "%s", others[i]);
		cr_assert_eq(stat(path, &after), 0);
		cr_expect_eq((size_t)after.st_size, strlen(others[i]));
	}
	cr_expect_eq(log_onto(""), 0);
	cr_expect_eq(log_onto(NULL), 0, "its own log");
	cr_expect_eq(log_onto("log: 3 lines dropped: the disk failed\n"), 0);
	/* a link leads to a file that is a log */
	(void)snprintf(target, sizeof target, "%s.1", path);
	cr_assert_eq(rename(path, target), 0);
	cr_assert_eq(stat(target, &before), 0);
	cr_assert_eq(symlink(target, path), 0);
	cr_expect_eq(log_onto(NULL), -ELOOP);
	cr_assert_eq(stat(target, &after), 0);
	cr_expect_eq(after.st_size, before.st_size);
}

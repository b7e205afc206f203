/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/alloc.h"
#include "common/base/mono.h"
#include "common/base/util.h"
#include "common/document/revisions.h"
#include "common/document/save.h"
#include "common/loop/thread.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static char folder[] = "/tmp/revisions-XXXXXX";
static char path[64];

static void set_up(void)
{
	cr_assert_not_null(mkdtemp(folder));
	(void)snprintf(path, sizeof path, "%s/file", folder);
}

static void name_of(int number, char ret[80])
{
	(void)snprintf(ret, 80, "%s.%d", path, number);
}

static void tear_down(void)
{
	char name[80];

	for (int i = 0; i <= REVISIONS_MAX + 1; i++) {
		name_of(i, name);
		(void)unlink(name);
		(void)rmdir(name);
	}
	(void)unlink(path);
	(void)snprintf(name, sizeof name, "%s/real", folder);
	(void)unlink(name);
	(void)rmdir(folder);
}

TestSuite(revisions, .init = set_up, .fini = tear_down);

static bool no_sync; /* fsync() of a folder fails */

int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	struct stat st;

	if (!no_sync || fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
		return __real_fsync(fd);
	errno = EIO;
	return -1;
}

/* Replaces the content, of which the writer expects the digest known. */
static int replace_known(const char *text, const char *known,
			 struct former *ret)
{
	struct errmsg error = { 0 };
	int r;

	*ret = (struct former){ 0 };
	(void)snprintf(ret->known, sizeof ret->known, "%s", known);
	r = revisions_replace(path, text, strlen(text), ret, &error);
	cr_assert_eq(r < 0, error.text[0] != '\0', "%s", error.text);
	return r;
}

static void put(const char *text)
{
	struct former former;

	cr_assert_eq(replace_known(text, "", &former), 0);
	cr_assert(former.replaced);
	cr_assert_str_eq(former.lost.text, "");
}

/* The content of the file; "" when there is none. */
static const char *content(const char *name, char ret[64])
{
	FILE *f = fopen(name, "r");
	size_t n = f != NULL ? fread(ret, 1, 63, f) : 0;

	ret[n] = '\0';
	if (f != NULL)
		(void)fclose(f);
	return ret;
}

static void expect(int number, const char *text)
{
	char name[80], found[64];

	name_of(number, name);
	cr_expect_str_eq(content(name, found), text, "%s", name);
}

Test(revisions, a_first_save_has_none_before_it)
{
	put("one");
	expect(0, "");
	expect(1, "");
}

Test(revisions, ten_are_kept_the_newest_first)
{
	char text[24], found[64];

	for (int i = 1; i <= 14; i++) {
		(void)snprintf(text, sizeof text, "version %d", i);
		put(text);
	}
	cr_expect_str_eq(content(path, found), "version 14");
	for (int i = 1; i <= REVISIONS_MAX; i++) {
		(void)snprintf(text, sizeof text, "version %d", 14 - i);
		expect(i, text);
	}
	expect(0, "");
	expect(REVISIONS_MAX + 1, "");
}

Test(revisions, are_listed_with_time_size_digest_and_author)
{
	static const char digest_of_one[] =
		"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff4"
		"31ed";
	struct revision found[REVISIONS_MAX + 1];
	bool signs;

	cr_assert_eq(revisions_list(path, found), 0u);
	put("one");
	revisions_sign(path, "olga, carl");
	put("longer");
	cr_assert_eq(revisions_list(path, found), 2u);
	cr_expect_eq(found[0].n, 0u);
	cr_expect_eq(found[0].bytes, 6u);
	cr_expect_str_empty(found[0].author);
	cr_expect_eq(found[1].n, 1u);
	cr_expect_eq(found[1].bytes, 3u);
	cr_expect_str_eq(found[1].digest, digest_of_one);
	cr_expect_gt(found[1].time_s, 1000000000);
	/* not every file system has attributes */
	signs = setxattr(path, "user.test", "", 0, 0) == 0;
	cr_expect_str_eq(found[1].author, signs ? "olga, carl" : "");
}

Test(revisions, an_unchanged_document_makes_none)
{
	put("one");
	put("one");
	expect(1, "");
	put("two");
	put("two");
	expect(1, "one");
	expect(2, "");
}

static void write_by_hand(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	cr_assert_not_null(f);
	cr_assert_neq(fputs(text, f), EOF);
	cr_assert_eq(fclose(f), 0);
}

Test(revisions, a_file_written_in_place_does_not_change_them)
{
	put("one");
	put("two");
	write_by_hand(path, "by hand");
	expect(1, "one");
	put("three");
	expect(1, "by hand");
	expect(2, "one");
}

Test(revisions, a_link_stays_and_its_target_is_kept)
{
	char found[64];
	struct stat st;

	cr_assert_eq(symlink("real", path), 0);
	put("one");
	put("two");
	cr_assert_eq(lstat(path, &st), 0);
	cr_expect(S_ISLNK(st.st_mode));
	cr_expect_str_eq(content(path, found), "two");
	expect(1, "one");
}

Test(revisions, a_failed_revision_does_not_stop_the_save)
{
	struct former former;
	char name[80], found[64];

	put("one");
	/* a folder in the place of the first one */
	name_of(1, name);
	cr_assert_eq(mkdir(name, 0700), 0);
	name_of(2, name);
	cr_assert_eq(mkdir(name, 0700), 0);
	name_of(0, name);
	cr_assert_eq(mkdir(name, 0700), 0);
	cr_expect_eq(replace_known("two", "", &former), 0);
	cr_expect(former.is_other);
	cr_expect_not(former.kept);
	cr_expect_str_neq(former.lost.text, "");
	cr_expect_str_eq(content(path, found), "two");
}

Test(revisions, a_save_that_fails_keeps_those_that_there_are)
{
	struct former former;
	char temporary[80];

	put("one");
	put("two");
	(void)snprintf(temporary, sizeof temporary, "%s/.file.new", folder);
	cr_assert_eq(mkdir(temporary, 0700), 0);
	cr_expect_lt(replace_known("three", "", &former), 0);
	cr_expect_not(former.replaced);
	cr_expect_not(former.is_other);
	cr_assert_eq(rmdir(temporary), 0);
	expect(0, "");
	expect(1, "one");
	expect(2, "");
	put("three");
	expect(1, "two");
	expect(2, "one");
}

Test(revisions, a_failure_after_the_file_is_replaced_keeps_its_content)
{
	struct former former;

	put("one");
	no_sync = true;
	cr_expect_eq(replace_known("two", "", &former), -EIO);
	no_sync = false;
	cr_expect(former.replaced);
	cr_expect(former.is_other);
	cr_expect(former.kept);
	expect(0, "");
	expect(1, "one");
}

Test(revisions, what_an_interrupted_write_put_aside_is_kept)
{
	char name[80];

	put("one");
	name_of(0, name);
	write_by_hand(name, "aside");
	put("two");
	expect(1, "one");
	expect(2, "aside");
	expect(0, "");
}

Test(revisions, only_other_content_than_the_expected_is_told)
{
	char one[DOCUMENT_DIGEST_TEXT];
	struct former former;

	document_digest("one", 3, one);
	cr_assert_eq(replace_known("one", "", &former), 0);
	cr_expect_not(former.is_other, "there was no file");
	cr_assert_eq(replace_known("one", "", &former), 0);
	cr_expect_not(former.is_other, "nothing is lost");
	cr_assert_eq(replace_known("two", one, &former), 0);
	cr_expect_not(former.is_other);
	cr_expect(former.kept);
	cr_assert_eq(replace_known("three", one, &former), 0);
	cr_expect(former.is_other);
	cr_expect(former.kept);
	cr_assert_eq(replace_known("four", "", &former), 0);
	cr_expect(former.is_other);
}

Test(revisions, content_that_cannot_be_read_is_kept_in_a_burst_too)
{
	struct former former = { .continues = true };
	struct errmsg error = { 0 };
	char name[80];
	struct stat st;

	put("one");
	cr_assert_eq(truncate(path, DOCUMENT_SIZE_MAX + 1), 0);
	document_digest("one", 3, former.known);
	cr_assert_eq(revisions_replace(path, "two", 3, &former, &error), 0);
	cr_expect(former.is_other);
	cr_expect(former.kept);
	cr_expect_str_empty(former.lost.text);
	name_of(1, name);
	cr_assert_eq(stat(name, &st), 0);
	cr_expect_eq(st.st_size, DOCUMENT_SIZE_MAX + 1);
}

Test(revisions, have_each_author_once_as_far_as_there_is_room)
{
	char list[REVISION_AUTHOR_MAX + 1] = "";
	char login[] = "yyyyyyyyyyyyyy";

	revisions_add_authors(list, "");
	cr_expect_str_empty(list);
	revisions_add_authors(list, "olga, carl");
	revisions_add_authors(list, "carl, ol, olga");
	cr_expect_str_eq(list, "olga, carl, ol");
	memset(list, 'x', 240);
	list[240] = '\0';
	revisions_add_authors(list, login);
	cr_expect_eq(strlen(list), 240u);
	revisions_add_authors(list, login + 1);
	cr_expect_eq(strlen(list), 255u);
}

/* --- of a save --- */

enum { LONG_MS = 3600 * 1000, PATIENCE_MS = 60000 };

static bool without_thread; /* no thread starts */

int __real_thread_start(pthread_t *, void *(*)(void *), void *);
int __wrap_thread_start(pthread_t *, void *(*)(void *), void *);

int __wrap_thread_start(pthread_t *ret, void *(*run)(void *), void *arg)
{
	return without_thread ? -EAGAIN : __real_thread_start(ret, run, arg);
}

/* The next content and its author. */
struct change {
	const char *text, *author;
};

static char *take_text(size_t *ret_len, void *arg)
{
	const struct change *c = arg;

	*ret_len = strlen(c->text);
	return xstrdup(c->text);
}

static char *take_author(void *arg)
{
	const struct change *c = arg;

	return xstrdup(c->author);
}

static void set_flag(int result, const struct errmsg *error, void *arg)
{
	bool *done = arg;

	cr_expect_eq(result, without_thread ? -EAGAIN : 0, "%s", error->text);
	*done = true;
}

static void run_until(struct ev_loop *loop, const bool *done)
{
	uint64_t end_ms = mono_ms() + PATIENCE_MS;

	/* an event that was fed does not end the wait of the loop */
	ev_invoke_pending(loop);
	while (!*done && mono_ms() < end_ms)
		ev_run(loop, EVRUN_ONCE);
	cr_assert(*done);
}

static void catch_up(struct ev_loop *loop, struct save *save)
{
	bool done = false;

	save_touch(save);
	save_catch_up(save, set_flag, &done);
	run_until(loop, &done);
}

static void put_text(struct ev_loop *loop, struct save *save, const char *text)
{
	bool done = false;

	save_text(save, xstrdup(text), strlen(text), true, set_flag, &done);
	run_until(loop, &done);
}

static struct save *make_save(struct ev_loop *loop, struct change *change)
{
	return save_new(&(struct save_config){
		.loop = loop,
		.path = path,
		.delay_ms = LONG_MS,
		.retry_min_ms = LONG_MS,
		.retry_max_ms = LONG_MS,
		.revisions = true,
		.text = take_text,
		.author = take_author,
		.arg = change,
	});
}

Test(revisions, contents_that_are_caught_up_soon_are_one_of_their_authors)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct revision found[REVISIONS_MAX + 1];
	struct change change = { "one", "olga" };
	struct save *save = make_save(loop, &change);

	put("older");
	catch_up(loop, save);
	change = (struct change){ "two", "carl" };
	catch_up(loop, save);
	expect(1, "older");
	cr_expect_eq(revisions_list(path, found), 2u);
	cr_expect_str_eq(found[0].author,
			 setxattr(path, "user.test", "", 0, 0) == 0
				 ? "olga, carl" : "");
	/* a text that was ordered is kept */
	put_text(loop, save, "ordered");
	change.text = "three";
	catch_up(loop, save);
	expect(1, "ordered");
	expect(2, "two");
	save_free(&save);
	ev_loop_destroy(loop);
}

/* An editor writes the file in place, or replaces it by another file. */
Test(revisions, a_file_edited_between_two_catch_ups_is_kept)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct change change = { "one", "olga" };
	struct save *save = make_save(loop, &change);
	char aside[80], digest[DOCUMENT_DIGEST_TEXT];

	catch_up(loop, save);
	write_by_hand(path, "in place");
	change = (struct change){ "two", "carl" };
	catch_up(loop, save);
	expect(1, "in place");
	expect(2, "");
	name_of(0, aside);
	write_by_hand(aside, "new");
	cr_assert_eq(rename(aside, path), 0);
	change.text = "six";
	catch_up(loop, save);
	expect(1, "new");
	/* the burst continues */
	change.text = "ten";
	catch_up(loop, save);
	expect(1, "new");
	expect(2, "in place");
	expect(3, "");
	/* an edit that is read ends it */
	write_by_hand(path, "read");
	document_digest("read", 4, digest);
	save_known(save, digest);
	change.text = "twelve";
	catch_up(loop, save);
	expect(1, "read");
	expect(2, "new");
	save_free(&save);
	ev_loop_destroy(loop);
}

Test(revisions, a_content_that_could_not_be_caught_up_is_none_to_continue)
{
	struct ev_loop *loop = ev_loop_new(EVFLAG_AUTO);
	struct change change = { "one", "olga" };
	struct save *save = make_save(loop, &change);

	put("older");
	without_thread = true;
	catch_up(loop, save);
	without_thread = false;
	change.text = "two";
	catch_up(loop, save);
	expect(1, "older");
	save_free(&save);
	ev_loop_destroy(loop);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "common/document/crash_guard.h"

#include <criterion/criterion.h>
#include <ev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[] = "/tmp/starts-XXXXXX";

static void set_up(void)
{
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	(void)close(fd);
	(void)unlink(path);
}

static void tear_down(void)
{
	(void)unlink(path);
}

TestSuite(starts, .init = set_up, .fini = tear_down);

/* Two configurations. */
static char digest_a[DOCUMENT_DIGEST_TEXT], digest_b[DOCUMENT_DIGEST_TEXT];

static void current_is_a(char ret[DOCUMENT_DIGEST_TEXT], void *arg)
{
	(void)arg;
	(void)memcpy(ret, digest_a, DOCUMENT_DIGEST_TEXT);
}

static struct crash_guard *open_starts(void)
{
	(void)memset(digest_a, 'a', DOCUMENT_DIGEST_TEXT - 1);
	(void)memset(digest_b, 'b', DOCUMENT_DIGEST_TEXT - 1);
	return crash_guard_open(&(struct crash_guard_config){
		.loop = EV_DEFAULT,
		.path = path,
		.digest = current_is_a,
	});
}

/* A start without a report of its end; its memory is that of a crash. */
static void crash(const char *digest, bool rolled_back)
{
	struct crash_guard *s = open_starts();

	crash_guard_begin(s, digest, rolled_back);
}

static bool is_deadly(const char *digest)
{
	struct crash_guard *s = open_starts();

	return crash_guard_is_deadly(s, digest);
}

Test(starts, three_crashes_are_deadly_and_two_are_not)
{
	cr_expect(!is_deadly(digest_a));
	(void)open_starts();
	crash(digest_a, false);
	crash(digest_a, false);
	cr_expect(!is_deadly(digest_a));
	crash(digest_a, false);
	cr_expect(is_deadly(digest_a));
	cr_expect(!is_deadly(digest_b));
}

Test(starts, another_configuration_counts_from_zero)
{
	(void)open_starts();
	crash(digest_a, false);
	crash(digest_a, false);
	crash(digest_b, false);
	crash(digest_a, false);
	cr_expect(!is_deadly(digest_a));
	cr_expect(!is_deadly(digest_b));
}

Test(starts, an_orderly_end_is_no_crash)
{
	struct crash_guard *s;

	(void)open_starts();
	crash(digest_a, false);
	crash(digest_a, false);
	s = open_starts();
	crash_guard_begin(s, digest_a, false);
	crash_guard_close(&s);
	cr_expect_null(s);
	crash(digest_a, false);
	crash(digest_a, false);
	cr_expect(!is_deadly(digest_a));
}

Test(starts, a_restored_version_is_not_left_again)
{
	(void)open_starts();
	for (int i = 0; i < CRASH_GUARD_MAX; i++)
		crash(digest_a, i == 0);
	cr_expect(!is_deadly(digest_a));
}

Test(starts, the_good_one_is_never_deadly)
{
	FILE *f = fopen(path, "w");

	(void)open_starts();
	cr_assert_geq(fprintf(f, "{\"good\":\"%s\"}", digest_a), 0);
	cr_assert_eq(fclose(f), 0);
	for (int i = 0; i < CRASH_GUARD_MAX; i++)
		crash(digest_a, false);
	cr_expect(!is_deadly(digest_a));
	cr_expect_str_eq(crash_guard_good(open_starts()), digest_a);
}

Test(starts, a_damaged_file_costs_the_memory_alone)
{
	static const char *const texts[] = {
		"", "{", "[]", "7",
		"{\"good\":7,\"current\":[],\"unclean\":-1}",
		"{\"good\":\"zz\",\"current\":\"\",\"unclean\":\"3\"}",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		FILE *f = fopen(path, "w");

		cr_assert_neq(fputs(texts[i], f), EOF);
		cr_assert_eq(fclose(f), 0);
		cr_expect(!is_deadly(digest_a), "%s", texts[i]);
		cr_expect_str_eq(crash_guard_good(open_starts()), "", "%s",
				 texts[i]);
	}
}

Test(starts, an_unwritable_place_is_no_place)
{
	struct crash_guard *s;

	cr_assert_eq(mkdir(path, 0700), 0);
	s = open_starts();
	crash_guard_begin(s, digest_a, false);
	crash_guard_close(&s);
	cr_assert_eq(rmdir(path), 0);
}

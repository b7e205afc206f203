/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/input/file_errors.h"

#include "tests/unit/log_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void logged(struct file_errors *f, struct log_lines *l, unsigned n,
		   const char *last)
{
	l->n = 0;
	l->last[0] = '\0';
	file_errors_log(f);
	cr_assert_eq(l->n, n, "%u", l->n);
	cr_assert_str_eq(l->last, last);
}

static void says(const struct file_errors *f, const char *want)
{
	struct errmsg text = { "" };

	cr_assert_eq(file_errors_text(f, &text), want[0] != '\0');
	cr_assert_str_eq(text.text, want);
}

Test(file_errors, are_logged_once_and_when_they_change)
{
	struct file_errors f = { 0 };
	struct log_lines l = { 0 };

	log_open(log_lines_take, &l, LOG_LEVEL_INFO);
	for (int round = 0; round < 3; round++) {
		file_errors_round(&f);
		file_errors_note(&f, "b", "gone", false);
		file_errors_note(&f, "a", "a folder", false);
		logged(&f, &l, round == 0 ? 2 : 0,
		       round == 0 ? "b: gone" : "");
		says(&f, "2 files cannot be played, the first is a: a folder");
	}
	file_errors_note(&f, "b", "empty", false);
	logged(&f, &l, 1, "b: empty");
	file_errors_clear(&f, "a", false);
	cr_assert_str_eq(l.last, "a: playing again");
	file_errors_clear(&f, "c", false);
	says(&f, "b: empty");
	file_errors_done(&f);
	says(&f, "");
}

Test(file_errors, keep_the_error_of_a_file_that_begins_well_again)
{
	struct file_errors f = { 0 };
	struct log_lines l = { 0 };

	log_open(log_lines_take, &l, LOG_LEVEL_INFO);
	for (int round = 0; round < 3; round++) {
		file_errors_round(&f);
		file_errors_meet(&f, "a");
		file_errors_clear(&f, "a", false);
		file_errors_note(&f, "a", "Input/output error", true);
		file_errors_log(&f);
		cr_assert_eq(l.n, 1u);
	}
	file_errors_clear(&f, "a", true);
	cr_assert_str_eq(l.last, "a: playing again");
	says(&f, "");
	file_errors_done(&f);
}

Test(file_errors, forget_files_that_left_the_list)
{
	struct file_errors f = { 0 };

	file_errors_round(&f);
	file_errors_note(&f, "a", "gone", false);
	file_errors_note(&f, "b", "gone", false);
	file_errors_round(&f);
	file_errors_meet(&f, "b");
	says(&f, "2 files cannot be played, the first is a: gone");
	file_errors_round(&f);
	says(&f, "b: gone");
	file_errors_round(&f);
	says(&f, "");
	file_errors_done(&f);
}

Test(file_errors, log_a_few_of_many_files)
{
	struct file_errors f = { 0 };
	struct log_lines l = { 0 };
	char path[300];

	log_open(log_lines_take, &l, LOG_LEVEL_INFO);
	for (int i = 9999; i >= 0; i--) {
		(void)snprintf(path, sizeof path, "/%0200d/%04d", 0, i);
		file_errors_note(&f, path, "gone", false);
	}
	logged(&f, &l, 11, "9990 more files of the list cannot be played");
	says(&f, "10000 files cannot be played, the first is 0000: gone");
	logged(&f, &l, 0, "");
	file_errors_done(&f);
}

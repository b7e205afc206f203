/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "common/log/log_lines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 1000 };

static void add(struct log_lines *l, const char *component, const char *text)
{
	log_lines_add(l, &(struct log_line){
		.time_ms = 1234567, .level = LOG_LEVEL_WARNING,
		.component = component, .text = text });
}

Test(log_lines, is_empty_at_first)
{
	struct log_lines *l = log_lines_new(FIRST);
	struct log_line line;

	cr_assert_eq(log_lines_first(l), FIRST);
	cr_assert_eq(log_lines_next(l), FIRST);
	cr_assert_not(log_lines_get(l, FIRST, &line));
	cr_assert_not(log_lines_get(l, FIRST - 1, &line));
	cr_assert_not(log_lines_get(l, 0, &line));
	log_lines_free(&l);
	cr_assert_null(l);
	log_lines_free(&l);
}

Test(log_lines, returns_what_was_added)
{
	struct log_lines *l = log_lines_new(FIRST);
	struct log_line line;

	add(l, "stream news", "on air");
	add(l, "", "");
	cr_assert(log_lines_get(l, FIRST, &line));
	cr_assert_eq(line.n, FIRST);
	cr_assert_eq(line.time_ms, 1234567);
	cr_assert_eq(line.level, LOG_LEVEL_WARNING);
	cr_assert_str_eq(line.component, "stream news");
	cr_assert_str_eq(line.text, "on air");
	cr_assert(log_lines_get(l, FIRST + 1, &line));
	cr_assert_str_eq(line.component, "");
	cr_assert_str_eq(line.text, "");
	cr_assert_not(log_lines_get(l, FIRST + 2, &line));
	log_lines_free(&l);
}

Test(log_lines, cuts_a_line_that_is_too_long)
{
	static char text[LOG_LINES_TEXT_MAX * 2];
	struct log_lines *l = log_lines_new(FIRST);
	struct log_line line;

	memset(text, 'x', sizeof text - 1);
	add(l, text, text);
	cr_assert(log_lines_get(l, FIRST, &line));
	cr_assert_eq(strlen(line.component), LOG_HEAD_MAX);
	cr_assert_eq(strlen(line.text), LOG_LINES_TEXT_MAX);
	log_lines_free(&l);
}

/* The text of line i, of a length that depends on it. */
static void text_of(unsigned i, unsigned longest, char *ret)
{
	int len = snprintf(ret, LOG_LINES_TEXT_MAX, "line %u ", i);

	memset(ret + len, 'a' + (int)(i % 26), i * 7919 % longest);
	ret[(unsigned)len + i * 7919 % longest] = '\0';
}

/* Every line from the first one is whole, and those before it are gone. */
static void check(const struct log_lines *l, unsigned added, unsigned longest)
{
	char text[LOG_LINES_TEXT_MAX + 64];
	struct log_line line;

	cr_assert_eq(log_lines_next(l), FIRST + added);
	cr_assert_not(log_lines_get(l, log_lines_first(l) - 1, &line));
	for (uint64_t n = log_lines_first(l); n < log_lines_next(l); n++) {
		text_of((unsigned)(n - FIRST), longest, text);
		cr_assert(log_lines_get(l, n, &line));
		cr_assert_str_eq(line.component, "c");
		cr_assert_str_eq(line.text, text);
	}
}

/* Adds lines of up to longest bytes; the number that are kept. */
static size_t fill(unsigned lines, unsigned longest)
{
	struct log_lines *l = log_lines_new(FIRST);
	char text[LOG_LINES_TEXT_MAX + 64];
	size_t kept;

	for (unsigned i = 0; i < lines; i++) {
		text_of(i, longest, text);
		add(l, "c", text);
		if (i % 997 == 0)
			check(l, i + 1, longest);
	}
	check(l, lines, longest);
	kept = (size_t)(log_lines_next(l) - log_lines_first(l));
	log_lines_free(&l);
	return kept;
}

Test(log_lines, keeps_the_newest_that_fit)
{
	/* short lines: their number is the limit; long ones: their bytes */
	cr_expect_eq(fill(LOG_LINES_MAX + 5000, 10), LOG_LINES_MAX);
	cr_expect_gt(fill(9000, 1000), 1900);
	cr_expect_gt(fill(2000, LOG_LINES_TEXT_MAX), 400);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "common/document/document.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static json_t *parse(const char *text, struct errmsg *why)
{
	return document_parse(text, strlen(text), why);
}

Test(document, refuses_with_line_and_column)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{ "", "line 1, column 0: " },
		{ "{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 5: " },
		{ "{\"a\":1,\"a\":2}", "line 1, column 10: duplicate object" },
		{ "{\"a\":\"\\u0000\"}", "line 1, column 13: \\u00" },
		{ "{\"a\":\"\xff\"}", "line 1, column 6: unable to decode" },
		{ "{\"a\":1 \"b\":2}",
		  "line 1, column 10: ',' or '}' expected before '\"b\"'" },
		{ "[1 2]", "line 1, column 4: ',' or ']' expected before '2'" },
		{ "{\"a\":1,}", "line 1, column 8: a key in double quotes "
				"expected, not '}'" },
		{ "{} {}", "line 1, column 4: end of file expected" },
		{ "{\"a\":01}", "line 1, column 6: " },
		{ "{\"a\":99999999999999999999}", "line 1, column 25: too" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct errmsg why = { 0 };

		cr_assert_null(parse(cases[i].text, &why), "%s",
			       cases[i].text);
		cr_assert_eq(strncmp(why.text, cases[i].why,
				     strlen(cases[i].why)), 0,
			     "%s: \"%s\"", cases[i].text, why.text);
	}
}

/* "[[[…" around a 1, n deep. */
static void nest(char *text, size_t n)
{
	memset(text, '[', n);
	text[n] = '1';
	memset(text + n + 1, ']', n);
	text[2 * n + 1] = '\0';
}

/* "[{},{},…]" with n values; "[" is one of them. */
static size_t repeat(char *text, size_t n)
{
	size_t len = 0;

	text[len++] = '[';
	for (size_t values = 1; values < n; values += 2)
		len += (size_t)sprintf(text + len, "%s{}", len > 1 ? "," : "");
	text[len++] = ']';
	return len;
}

/* Two bytes of text are two hundred of memory. */
Test(document, refuses_more_values_than_it_would_pay_for)
{
	static char text[2 * DOCUMENT_VALUES_MAX];
	struct errmsg why = { 0 };
	size_t len = repeat(text, DOCUMENT_VALUES_MAX - 1);
	json_t *document = document_parse(text, len, &why);

	cr_assert_not_null(document, "%s", why.text);
	json_decref(document);
	len = repeat(text, DOCUMENT_VALUES_MAX + 2);
	cr_assert_null(document_parse(text, len, &why));
	cr_assert_str_eq(why.text, "has more than 200000 values");

	/* commas in strings are none */
	memset(text, ',', sizeof text);
	text[0] = text[sizeof text - 1] = '"';
	document = document_parse(text, sizeof text, &why);
	cr_assert(json_is_string(document), "%s", why.text);
	json_decref(document);
}

Test(document, rejects_text_behind_a_nul)
{
	static const char text[] = "{}\0{\"a\":1}";
	struct errmsg why = { 0 };

	cr_assert_null(document_parse(text, sizeof text - 1, &why));
	cr_assert_str_eq(why.text, "has a NUL byte at 2");
}

Test(document, bounds_the_nesting, .timeout = 90)
{
	static char text[2 * 100000 + 2];
	struct errmsg why = { 0 };
	json_t *document;
	char *written;
	size_t len;

	nest(text, DOCUMENT_DEPTH_MAX);
	document = parse(text, &why);
	cr_assert_not_null(document, "%s", why.text);
	/* and is written again without looking at a level twice */
	written = document_format(document, &len);
	cr_assert_gt(len, 2 * DOCUMENT_DEPTH_MAX);
	free(written);
	json_decref(document);
	nest(text, DOCUMENT_DEPTH_MAX + 1);
	cr_assert_null(parse(text, &why));
	cr_assert_str_eq(why.text, "is nested deeper than 64 levels");
	nest(text, 100000);
	cr_assert_null(parse(text, &why));
}

Test(document, does_not_count_brackets_in_strings)
{
	static char text[1024] = "[\"\\\"";
	struct errmsg why = { 0 };
	json_t *document;

	for (int i = 0; i < 100; i++)
		(void)strcat(text, "[{");
	(void)strcat(text, "\"]");
	document = parse(text, &why);
	cr_assert_not_null(document, "%s", why.text);
	json_decref(document);
}

Test(document, keeps_order_values_and_unknown_keys)
{
	static const char text[] =
		"{\n  \"z\": 1,\n  \"a\": [\n    true,\n    null,\n    "
		"-9223372036854775808,\n    0.1,\n    \"\xc3\xbc\"\n  ],\n"
		"  \"m\": {}\n}\n";
	struct errmsg why = { 0 };
	json_t *document = parse(text, &why);
	json_t *again;
	char *formatted;
	size_t len;

	cr_assert_not_null(document, "%s", why.text);
	formatted = document_format(document, &len);
	cr_assert_eq(len, strlen(formatted));
	cr_assert_eq(formatted[len - 1], '\n');
	again = document_parse(formatted, len, &why);
	cr_assert(json_equal(document, again));
	cr_assert_lt(strstr(formatted, "\"z\""), strstr(formatted, "\"a\""));
	cr_assert_lt(strstr(formatted, "\"a\""), strstr(formatted, "\"m\""));
	free(formatted);
	json_decref(document);
	json_decref(again);
}

Test(document, reports_why_a_file_cannot_be_read)
{
	json_t *document = NULL;
	struct errmsg why = { 0 };
	char folder[] = "/tmp/document-XXXXXX";
	char path[64];

	cr_assert_eq(document_load("/nonexistent/x.json", &document, &why),
		     -ENOENT);
	cr_assert_str_eq(why.text,
			 "cannot be read: No such file or directory");
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(document_load(folder, &document, &why), -EISDIR);
	/* no process writes to it: a read would wait for ever */
	(void)snprintf(path, sizeof path, "%s/fifo", folder);
	cr_assert_eq(mkfifo(path, 0600), 0);
	cr_assert_eq(document_load(path, &document, &why), -EINVAL);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(rmdir(folder), 0);
	cr_assert_null(document);
}

/* Valid JSON that is rejected on purpose: a key must not depend on the reader,
 * and C strings end at a NUL. */
static bool is_refused_on_purpose(const char *name)
{
	static const char *const names[] = {
		"y_object_duplicated_key.json",
		"y_object_duplicated_key_and_value.json",
		"y_object_escaped_null_in_key.json",
		"y_string_null_escape.json",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void judge_case(const char *folder, const char *name)
{
	json_t *document = NULL;
	struct errmsg why = { 0 };
	char path[768];
	int r;

	(void)snprintf(path, sizeof path, "%s/%s", folder, name);
	r = document_load(path, &document, &why);
	if (name[0] == 'n' || is_refused_on_purpose(name))
		cr_expect_eq(r, -EBADMSG, "%s was taken", name);
	else if (name[0] == 'y')
		cr_expect_eq(r, 0, "%s: %s", name, why.text);
	json_decref(document);
}

/* nst/JSONTestSuite, where the data of the tests lie beside the tree. */
Test(document, agrees_with_the_json_test_suite)
{
	const char *srcdir = getenv("srcdir");
	const struct dirent *entry;
	char folder[256];
	size_t n = 0;
	DIR *dir;

	(void)snprintf(folder, sizeof folder,
		       "%s/../shared/data/json/test_parsing",
		       srcdir != NULL ? srcdir : ".");
	dir = opendir(folder);
	if (dir == NULL)
		cr_skip_test("%s is not there", folder);
	while ((entry = readdir(dir)) != NULL) {
		if (strstr(entry->d_name, ".json") == NULL)
			continue;
		judge_case(folder, entry->d_name);
		n++;
	}
	(void)closedir(dir);
	cr_assert_gt(n, 300u);
}

/* Unknown keys are kept, and their numbers with them. */
Test(document, a_number_is_written_as_it_was_read)
{
	static const char *const numbers[] = {
		"0.1", "1.25", "-2.5e-7", "0.3", "1e300", "3.14159265358979",
		"0.30000000000000004", "2.2250738585072014e-308", "0.0",
	};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		char text[64];
		struct errmsg why;
		char *formatted;
		json_t *document, *again;
		size_t len;

		(void)snprintf(text, sizeof text, "[{\"x\": %s}]", numbers[i]);
		document = parse(text, &why);
		formatted = document_format(document, &len);
		if (i < 4)
			cr_assert_not_null(strstr(formatted, numbers[i]), "%s",
					   formatted);
		again = parse(formatted, &why);
		cr_assert(json_equal(document, again), "%s: %s", numbers[i],
			  formatted);
		json_decref(document);
		json_decref(again);
		free(formatted);
	}
}

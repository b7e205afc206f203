/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader accepts what jansson accepts, and finds the same values. */
#include "proto/wire/json_reader.h"

#include "common/base/util.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text)
{
	char *copy = malloc(strlen(text) + 1);

	return strcpy(copy, text);
}

static void expect_equal(const char *text)
{
	json_t *theirs = json_loads(text, JSON_DECODE_ANY |
					  JSON_REJECT_DUPLICATES, NULL);
	char *copy = copy_of(text);
	struct json_reader r;
	json_t *ours;

	json_reader_init(&r, copy, strlen(copy));
	ours = json_read_tree(&r);
	json_read_end(&r);
	cr_expect_eq(r.error == NULL, theirs != NULL, "%s: %s", text,
		     r.error != NULL ? r.error : "no error");
	if (r.error == NULL)
		cr_expect(json_equal(ours, theirs), "%s", text);
	json_decref(ours);
	json_decref(theirs);
	free(copy);
}

Test(json_reader, reads_what_jansson_reads)
{
	static const char *const texts[] = {
		"{}", "[]", " [ ] ", "{\"a\":1}", "[1,2,[3,{\"b\":[]}],\"\"]",
		"{\"a\":{\"b\":{}},\"c\":[true,false,null]}\n",
		"0", "-0", "-1", "9223372036854775807",
		"-9223372036854775808", "\"a b\"",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\\u00e4\\u20ac\"",
		"\"\\ud83d\\udcfa\"",
		"\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x93\xba\"",
		"\"\\u00e4x\xc3\xa4\"", "\t\r\n \"\x7f\"",
		"{\"\\u0061\":1,\"\":2}", "[1.5,-2e3,0.5E-1,1e+2,-0.0]",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		expect_equal(texts[i]);
}

Test(json_reader, rejects_what_jansson_rejects)
{
	static const char *const texts[] = {
		"", " ", "{", "[", "}", "]", "{]", "[}", "{\"a\"}", "{\"a\":}",
		"{\"a\":1,}", "[1,]", "[,1]", "[1 2]", "{\"a\":1 \"b\":2}",
		"{a:1}", "{1:1}", "{,}", "{\"a\",1}", "[1]]", "1 2", "tru",
		"truex", "nul", "falsy", "-", "01", "-01", "1.", ".5", "1e",
		"1e+", "+1", "9223372036854775808", "-9223372036854775809",
		"99999999999999999999", "\"", "\"a", "\"\\\"", "\"\\x\"",
		"\"\\u12\"", "\"\\u12g4\"", "\"\\u0000\"", "\"\\ud83d\"",
		"\"\\ud83dx\"", "\"\\ud83d\\u0041\"", "\"\\udcfa\"", "\"\n\"",
		"\"\x01\"", "\"\xc3\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"",
		"\"\xf5\x80\x80\x80\"", "\"\xff\"", "'a'", "\"\\",
		"1e999", "{\"a\":1,\"a\":1}", "[{\"a\":[1,{}],\"a\":2}]",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		expect_equal(texts[i]);
}

/* Of text by a worker, which the control process does not trust. */
Test(json_reader, values_nest_as_deep_as_in_jansson)
{
	static const size_t depths[] = { 2000, 2048, 2049, 30000 };

	for (size_t i = 0; i < ARRAY_LEN(depths); i++) {
		char *text = calloc(1, 2 * depths[i] + 1);

		memset(text, '[', depths[i]);
		memset(text + depths[i], ']', depths[i]);
		expect_equal(text);
		free(text);
	}
}

Test(json_reader, a_real_number_and_a_tree_are_skipped)
{
	char text[] = "[1.5,-2e3,0.5E-1,{\"a\":[1,{}]},\"x\"]";
	struct json_reader r;
	json_t *tree;

	json_reader_init(&r, text, strlen(text));
	cr_assert_eq(json_read(&r).kind, JSON_KIND_LIST);
	for (int i = 0; i < 2; i++) {
		cr_assert(json_read_item(&r));
		cr_assert_eq(json_read(&r).kind, JSON_KIND_REAL);
	}
	cr_assert(json_read_item(&r));
	tree = json_read_tree(&r);
	cr_assert_float_eq(json_real_value(tree), 0.05, 1e-9);
	json_decref(tree);
	cr_assert(json_read_item(&r));
	tree = json_read_tree(&r);
	cr_assert_eq(json_array_size(json_object_get(tree, "a")), 2);
	json_decref(tree);
	cr_assert(json_read_item(&r));
	cr_assert_str_eq(json_read(&r).text, "x");
	cr_assert_not(json_read_item(&r));
	json_read_end(&r);
	cr_assert_null(r.error);
}

/* A NUL inside is no end. */
Test(json_reader, stops_at_the_first_error)
{
	char text[] = "[1,\0002]";
	struct json_reader r;

	json_reader_init(&r, text, sizeof text - 1);
	cr_assert_eq(json_read(&r).kind, JSON_KIND_LIST);
	cr_assert(json_read_item(&r));
	cr_assert_eq(json_read(&r).integer, 1);
	cr_assert(json_read_item(&r));
	cr_assert_eq(json_read(&r).kind, JSON_KIND_NONE);
	cr_assert_not_null(r.error);
	cr_assert_not(json_read_item(&r));
	cr_assert_null(json_read_key(&r));
	cr_assert_eq(json_read(&r).kind, JSON_KIND_NONE);
	cr_assert_null(json_read_tree(&r));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/text_dictionary.h"

#include "common/base/alloc.h"
#include "common/base/utf8.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK "\xef\xbf\xbd"

static const char codes[] =
	"# of a test\n"
	"encoding 1\n"
	"start 0 U+0041  # A\r\n"
	"start 10 U+00e4\n"
	"\tstart 11 escape\n"
	"U+0041 1 U+0042\n"
	"U+0041 01 stop\n"
	"U+0041 00 U+1F600\n"
	"any 00000 stop\n"
	"any 1 U+0041\n"
	"any 01 U+000A\n"
	"any 0001 U+0007\n"
	"encoding 200\n"
	"any 0 U+0078\n"
	"any 1 stop\n";

static struct text_dictionary *parse(const char *text)
{
	struct errmsg error = { "" };
	struct text_dictionary *d = text_dictionary_parse(text, strlen(text),
							  &error);

	cr_assert_not_null(d, "%s", error.text);
	return d;
}

/* bits: digits, filled up with 0. */
static const char *decode(const struct text_dictionary *d, uint8_t encoding,
			  const char *bits)
{
	static char text[256];
	uint8_t data[64] = { 0x1f, encoding };
	size_t n = strlen(bits);

	for (size_t i = 0; i < n; i++)
		data[2 + i / 8] |= (uint8_t)((bits[i] - '0') << (7 - i % 8));
	cr_assert_eq(text_dictionary_decode(d, data, 2 + (n + 7) / 8, text,
					    sizeof text), strlen(text));
	return text;
}

Test(text_dictionary, a_code_depends_on_the_character_before)
{
	struct text_dictionary *d = parse(codes);

	cr_expect_str_eq(decode(d, 1, "0" "01"), "A");
	cr_expect_str_eq(decode(d, 1, "0" "1" "1" "1" "00000"), "ABAB");
	cr_expect_str_eq(decode(d, 1, "10" "01" "1" "00" "00000"),
			 "\xc3\xa4\nA\xf0\x9f\x98\x80");
	/* U+0007 is a control character */
	cr_expect_str_eq(decode(d, 1, "10" "0001" "1" "01"), "\xc3\xa4" "A");
	/* a code begins at the end */
	cr_expect_str_eq(decode(d, 1, "10" "01" "1" "1" "0"), "\xc3\xa4\nAB");
	/* no code has these bits */
	cr_expect_str_eq(decode(d, 1, "10" "001" "111"), "\xc3\xa4" MARK);
	cr_expect_str_eq(decode(d, 200, "000001"), "xxxxx");
	text_dictionary_free(&d);
	cr_expect_null(d);
}

Test(text_dictionary, an_escape_has_bytes_up_to_the_first_of_ascii)
{
	struct text_dictionary *d = parse(codes);

	/* the bytes C3 A4 41, then the codes behind A */
	cr_expect_str_eq(decode(d, 1, "11" "11000011" "10100100" "01000001"
				      "1" "00000"), "\xc3\xa4" "AB");
	/* a byte 0 is the end */
	cr_expect_str_eq(decode(d, 1, "11" "01000001" "01"), "A");
	cr_expect_str_eq(decode(d, 1, "11" "00000000" "1111"), "");
	/* no UTF-8; then too few bits */
	cr_expect_str_eq(decode(d, 1, "11" "11000011" "01000001" "01"),
			 MARK "A");
	cr_expect_str_eq(decode(d, 1, "11" "110000"), "");
	text_dictionary_free(&d);
}

Test(text_dictionary, a_text_without_codes_is_marked)
{
	static const uint8_t unknown[] = { 0x1f, 7, 0xff, 0xff };
	struct text_dictionary *d = parse(codes);
	char text[16];

	cr_expect(text_is_compressed(unknown, 1));
	cr_expect_not(text_is_compressed(unknown, 0));
	cr_expect_not(text_is_compressed((const uint8_t *)"x", 1));
	cr_expect_not(text_dictionary_has(d, unknown, sizeof unknown));
	cr_expect(text_dictionary_has(d, (const uint8_t *)"\x1f\x01", 2));
	cr_expect_not(text_dictionary_has(NULL, (const uint8_t *)"\x1f\x01",
					  2));
	for (size_t len = 1; len <= sizeof unknown; len++) {
		(void)text_dictionary_decode(d, unknown, len, text,
					     sizeof text);
		cr_expect_str_eq(text, MARK);
		(void)text_dictionary_decode(NULL, unknown, len, text,
					     sizeof text);
		cr_expect_str_eq(text, MARK);
	}
	text_dictionary_free(&d);
}

Test(text_dictionary, a_small_memory_has_whole_characters)
{
	static const uint8_t data[] = { 0x1f, 1, 0x14 };
	struct text_dictionary *d = parse(codes);

	/* A, U+1F600, A */
	for (size_t size = 1; size < 9; size++) {
		char *text = malloc(size);
		size_t n = text_dictionary_decode(d, data, sizeof data, text,
						  size);

		cr_expect_eq(n, size < 2 ? 0u : size < 6 ? 1u
				: size < 7 ? 5u : 6u, "%zu: %zu", size, n);
		cr_expect(utf8_is_valid(text, n));
		free(text);
	}
	text_dictionary_free(&d);
}

Test(text_dictionary, a_line_with_an_error_is_named)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{ "", "has no code" },
		{ "# x\n\nencoding 1\n", "has no code" },
		{ "start 0 stop", "line 1: no line `encoding' precedes it" },
		{ "encoding 256", "line 1: encoding: \"256\" is not between 0 "
				  "and 255" },
		{ "encoding", "line 1: encoding: \"\" is not between 0 and "
			      "255" },
		{ "encoding 1\nstart 0", "line 2: is neither FROM BITS TO nor "
					 "encoding N" },
		{ "encoding 1\nstart 0 stop x", "line 2: is neither FROM BITS "
						"TO nor encoding N" },
		{ "encoding 1\nA 0 stop", "line 2: FROM: \"A\" is none of "
			"start, any and a character as U+0041" },
		{ "encoding 1\nU+d800 0 stop", "line 2: FROM: \"U+d800\" is "
			"none of start, any and a character as U+0041" },
		{ "encoding 1\nany 0 U+110000", "line 2: TO: \"U+110000\" is "
			"none of stop, escape and a character as U+0041" },
		{ "encoding 1\nany 02 stop", "line 2: BITS: \"02\" is not 1 to "
			"32 digits 0 and 1" },
		{ "encoding 1\nany 000000000000000000000000000000000 stop",
		  "line 2: BITS: \"000000000000000000000000000000000\" is not "
		  "1 to 32 digits 0 and 1" },
		{ "encoding 1\nany 0 stop\nany 0 stop", "line 3: 0 begins "
			"another code, or is one already" },
		{ "encoding 1\nany 0 stop\nany 01 stop", "line 3: another code "
							 "begins 01" },
		{ "encoding 1\nany 01 stop\nany 0 stop", "line 3: 0 begins "
			"another code, or is one already" },
	};
	struct errmsg error;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		cr_expect_null(text_dictionary_parse(cases[i].text,
						     strlen(cases[i].text),
						     &error));
		cr_expect_str_eq(error.text, cases[i].wanted);
	}
	cr_expect_null(text_dictionary_parse("encoding\0 1", 11, &error));
	cr_expect_str_eq(error.text, "line 1: is too long, or has a byte 0");
}

/* n lines of codes, each behind another of some characters. */
static char *many(size_t n, size_t characters, size_t *ret_len)
{
	char *text = xmalloc(n * 48 + 64);
	size_t len = (size_t)sprintf(text, "encoding 1\n");

	for (size_t i = 0; i < n; i++) {
		len += (size_t)sprintf(text + len, "U+%x ",
				       (unsigned)(i % characters + 0x1000));
		for (size_t b = 0; b < 17; b++)
			text[len++] = (char)('0' + (i >> (16 - b) & 1));
		len += (size_t)sprintf(text + len, " stop\n");
	}
	*ret_len = len;
	return text;
}

Test(text_dictionary, a_file_is_bounded)
{
	struct text_dictionary *d;
	struct errmsg error;
	size_t len;
	char *text = xcalloc(1, TEXT_DICTIONARY_MAX + 1);

	memset(text, '\n', TEXT_DICTIONARY_MAX + 1);
	cr_expect_null(text_dictionary_parse(text, TEXT_DICTIONARY_MAX + 1,
					     &error));
	cr_expect_str_eq(error.text, "is longer than 1048576 bytes");
	free(text);
	text = many(TEXT_DICTIONARY_FROMS + 1, 5000, &len);
	cr_expect_null(text_dictionary_parse(text, len, &error));
	cr_expect_str_eq(error.text, "line 4098: more than 4096 pairs of "
				     "encoding and FROM");
	free(text);
	text = many(TEXT_DICTIONARY_MAX / 31, 1, &len);
	cr_expect_leq(len, TEXT_DICTIONARY_MAX);
	d = text_dictionary_parse(text, len, &error);
	cr_expect_not_null(d, "%s", error.text);
	text_dictionary_free(&d);
	free(text);
}

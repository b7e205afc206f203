/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "proto/spec/io_spec.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The biss option of an address; the return value is its judgement. */
static int read_options(const char *options, struct biss_spec *ret,
			struct errmsg *error)
{
	struct input_spec spec;
	char text[128];
	int r;

	(void)snprintf(text, sizeof text, "udp://127.0.0.1:1234#%s", options);
	r = input_spec_parse(text, &spec, NULL, NULL, error);
	*ret = spec.biss;
	return r;
}

static void expect_key(const char *options, const uint8_t *key)
{
	struct biss_spec biss;
	struct errmsg error;

	cr_assert_eq(read_options(options, &biss, &error), 0, "%s: %s", options,
		     error.text);
	cr_assert(biss.given);
	cr_assert_arr_eq(biss.key, key, BISS_KEY, "%s", options);
}

Test(biss, a_session_word_gets_its_checksums)
{
	const uint8_t key[] = { 0x12, 0x34, 0x56, 0x9c,
				0xab, 0xcd, 0xef, 0x67 };

	expect_key("biss=123456abcdef", key);
	expect_key("biss=123456ABCDEF", key);
}

Test(biss, a_control_word_has_checksums_or_zeros_in_their_place)
{
	const uint8_t key[] = { 0x12, 0x34, 0x56, 0x9c,
				0xab, 0xcd, 0xef, 0x67 };

	expect_key("biss=1234569cabcdef67", key);
	expect_key("biss=12345600abcdef00", key);
	expect_key("biss=1234569cabcdef00", key);
}

Test(biss, a_wrong_checksum_is_an_error_that_hides_the_key)
{
	static const struct {
		const char *options;
		const char *text;
	} rows[] = {
		{ "biss=1234569dabcdef67",
		  "biss: byte 4 is not the checksum of the three bytes before "
		  "it: correct the key, or add no_checksum" },
		{ "biss=1234569cabcdef68",
		  "biss: byte 8 is not the checksum of the three bytes before "
		  "it: correct the key, or add no_checksum" },
	};
	struct biss_spec biss;
	struct errmsg error;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		cr_assert_lt(read_options(rows[i].options, &biss, &error), 0);
		cr_assert_str_eq(error.text, rows[i].text);
	}
}

Test(biss, without_checksums_all_bits_are_the_key)
{
	const uint8_t key[] = { 0x01, 0x23, 0x45, 0x67,
				0x89, 0xab, 0xcd, 0xef };

	expect_key("biss=0123456789abcdef&no_checksum", key);
	expect_key("no_checksum&biss=0123456789abcdef", key);
}

Test(biss, other_texts_are_errors)
{
	static const char *const wrong[] = {
		"biss=", "biss", "biss=1", "biss=123456abcde",
		"biss=123456abcdef0", "biss=123456abcdeg",
		"biss=0x3456abcdef", "biss=12345678901234567",
		"biss=12345 789012",
	};
	struct biss_spec biss;
	struct errmsg error;

	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		cr_assert_lt(read_options(wrong[i], &biss, &error), 0, "%s",
			     wrong[i]);
		cr_assert_str_eq(error.text, "biss: is not 12 or 16 "
				 "hexadecimal digits", "%s", wrong[i]);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/utf8.h"
#include "common/util.h"
#include "worker/si/text.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *utf8, enum text_table table, const char *bytes,
		   size_t len, size_t lost)
{
	uint8_t ret[300];
	size_t ret_lost;
	size_t n = text_encode(utf8, table, ret, sizeof ret, &ret_lost);

	cr_expect_eq(n, len, "%s: %zu bytes", utf8, n);
	cr_expect_arr_eq(ret, bytes, len, "%s", utf8);
	cr_expect_eq(ret_lost, lost, "%s: %zu lost", utf8, ret_lost);
}

#define EXPECT(utf8, table, bytes, lost) \
	expect(utf8, table, bytes, sizeof(bytes) - 1, lost)

Test(text_encode, names_its_table_but_for_the_default)
{
	EXPECT("a", TEXT_ISO_6937, "a", 0);
	EXPECT("a", TEXT_ISO_8859_1, "\x10\x00\x01" "a", 0);
	EXPECT("a", 4, "\x10\x00\x04" "a", 0);
	EXPECT("Ж", TEXT_ISO_8859_5, "\x01\xb6", 0);
	EXPECT("a", TEXT_ISO_8859_15, "\x0b" "a", 0);
	EXPECT("aЖ", TEXT_UTF8, "\x15" "a\xd0\x96", 0);
	EXPECT("", TEXT_UTF8, "", 0);
	EXPECT("", TEXT_ISO_6937, "", 0);
}

Test(text_encode, puts_the_mark_before_its_letter_in_iso_6937)
{
	EXPECT("é", TEXT_ISO_6937, "\xc2" "e", 0);
	EXPECT("e\u0301", TEXT_ISO_6937, "\xc2" "e", 0);
	EXPECT("q\u0301", TEXT_ISO_6937, "\xc2q", 0);
	EXPECT("Ř€Đșß", TEXT_ISO_6937, "\xcfR\xa4\xe2\xcbs\xfb", 0);
}

Test(text_encode, joins_letter_and_mark_elsewhere)
{
	EXPECT("e\u0301", TEXT_ISO_8859_1, "\x10\x00\x01\xe9", 0);
	EXPECT("q\u0301", TEXT_ISO_8859_1, "\x10\x00\x01q", 1);
	EXPECT("e\u0301q\u0301", TEXT_UTF8, "\x15\xc3\xa9q\xcc\x81", 0);
}

Test(text_encode, writes_what_comes_nearest_and_counts_it)
{
	EXPECT("ő", TEXT_ISO_8859_1, "\x10\x00\x01o", 1);
	EXPECT("„x“…", TEXT_ISO_8859_5, "\x01\"x\"...", 3);
	EXPECT("中", TEXT_ISO_6937, "?", 1);
	EXPECT("œ", TEXT_ISO_8859_9, "\x05oe", 1);
	EXPECT("a\xff" "b", TEXT_ISO_6937, "a?b", 1);
}

Test(text_encode, keeps_line_ends_and_drops_other_controls)
{
	EXPECT("a\nb\r\x01\xc2\x85", TEXT_ISO_6937, "a\x8a" "b", 0);
	EXPECT("a\nb\t", TEXT_UTF8, "\x15" "a\xee\x82\x8a" "b", 0);
	EXPECT("\x05" "a", TEXT_ISO_6937, "a", 0);
}

Test(text_encode, cuts_after_a_whole_character)
{
	uint8_t ret[8];

	for (size_t size = 0; size < sizeof ret; size++) {
		memset(ret, 'X', sizeof ret);
		size_t n = text_encode("aéb", TEXT_ISO_6937, ret, size, NULL);

		cr_expect_eq(n, size == 2 ? 1 : MIN(size, 4), "%zu", size);
		cr_expect_eq(ret[n], 'X');
	}
	cr_expect_eq(text_encode("a", 2, ret, 2, NULL), 0);
}

Test(text_encode, knows_which_tables_there_are)
{
	for (unsigned t = 0; t < 256; t++)
		cr_expect_eq(text_table_ok(t), t <= 11 ||
			     (t >= 13 && t <= 15) || t == 21, "%u", t);
}

/* What is read and written again is the same, in every table. */
Test(text_encode, gives_back_what_was_read)
{
	for (unsigned table = 0; table <= TEXT_UTF8; table++) {
		uint8_t bytes[8], again[8];
		char text[TEXT_UTF8_SIZE(sizeof bytes)], other[sizeof text];
		size_t n, head, lost;

		if (!text_table_ok(table))
			continue;
		head = text_encode("a", table, bytes, sizeof bytes, NULL) - 1;
		for (unsigned c = 0x20; c < 0x10000; c++) {
			if (table == TEXT_UTF8 || (table > 0 && c > 0xff))
				break;
			if (c > 0xff && c < 0x2000)
				continue; /* that would name a table */
			bytes[head] = (uint8_t)(c > 0xff ? c >> 8 : c);
			bytes[head + 1] = (uint8_t)c;
			n = head + (c > 0xff ? 2 : 1);
			(void)text_decode(bytes, n, text, sizeof text);
			if (strstr(text, "\ufffd") != NULL)
				continue;
			n = text_encode(text, table, again, sizeof again,
					&lost);
			(void)text_decode(again, n, other, sizeof other);
			cr_assert_str_eq(text, other, "%u: %x: %s %s", table,
					 c, text, other);
			cr_assert_eq(lost, 0, "%u: %x: %s", table, c, text);
		}
	}
}

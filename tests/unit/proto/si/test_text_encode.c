/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/utf8.h"
#include "common/base/util.h"
#include "proto/si/text.h"

#include <criterion/criterion.h>
#include <iconv.h>
#include <stdio.h>
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

Test(text_encode, names_its_table_except_the_default)
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

Test(text_encode, replaces_missing_characters_and_counts_them)
{
	EXPECT("ő", TEXT_ISO_8859_1, "\x10\x00\x01o", 1);
	EXPECT("„x“…", TEXT_ISO_8859_5, "\x01\"x\"...", 3);
	EXPECT("中", TEXT_ISO_6937, "?", 1);
	EXPECT("œ", TEXT_ISO_8859_9, "\x05oe", 1);
	EXPECT("a\xff" "b", TEXT_ISO_6937, "a?b", 1);
}

Test(text_encode, chooses_a_table_that_has_every_character)
{
	static const struct {
		const char *text;
		unsigned wanted, table;
	} cases[] = {
		{ "Grün", 0, 0 },        { "Łódź – 1", 0, 0 },
		{ "Новости", 0, 5 },     { "Новости", 1, 5 },
		{ "Новости", 21, 21 },   { "„Новости“", 5, 5 },
		{ "ΕΡΤ", 0, 7 },         { "שלום", 0, 8 },
		{ "قناة", 0, 6 },        { "ไทย", 0, 11 },
		{ "Ελλάδα Москва", 0, 21 }, { "中文", 0, 21 },
		{ "Łódź", 5, 5 },        { "", 0, 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned got = text_table_for(cases[i].text,
					      cases[i].wanted);

		cr_expect_eq(got, cases[i].table, "%s: %u", cases[i].text,
			     got);
	}
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

Test(text_encode, accepts_existing_tables_only)
{
	for (unsigned t = 0; t < 256; t++)
		cr_expect_eq(text_table_ok(t), t <= 11 ||
			     (t >= 13 && t <= 15) || t == 21, "%u", t);
}

/* Text that is read and written again is the same, in every table. */
Test(text_encode, round_trips_decoded_text)
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

/* These have a byte of their own in some tables, and that of another letter in
 * others. */
static bool has_other_byte(uint32_t c)
{
	return c == 0x0110 || (c >= 0x0218 && c <= 0x021b);
}

/* The byte that the C library writes for c; 0: none. */
static uint8_t byte_of_the_c_library(iconv_t cd, uint32_t c)
{
	char utf8[UTF8_MAX], byte = 0;
	char *in = utf8, *out = &byte;
	size_t len = utf8_put(c, utf8), room = 1;

	(void)iconv(cd, NULL, NULL, NULL, NULL);
	return iconv(cd, &in, &len, &out, &room) == 0 ? (uint8_t)byte : 0;
}

Test(text_encode, agrees_with_the_c_library_on_iso_8859)
{
	for (unsigned part = 1; part <= 15; part++) {
		size_t head = part < 5 ? 3 : 1;
		char name[16];
		iconv_t cd;

		if (part == 12)
			continue;
		(void)snprintf(name, sizeof name, "ISO-8859-%u", part);
		cd = iconv_open(name, "UTF-8");
		cr_assert_neq(cd, (iconv_t)-1, "%s", name);
		for (uint32_t c = 0xa0; c < 0x10000; c++) {
			char text[UTF8_MAX + 1] = "";
			uint8_t theirs, ours[8];
			size_t lost;

			if (c == 0xd800)
				c = 0xe000; /* surrogates are no characters */
			(void)utf8_put(c, text);
			theirs = byte_of_the_c_library(cd, c);
			(void)text_encode(text, part, ours, sizeof ours, &lost);
			if (theirs != 0)
				cr_assert(ours[head] == theirs && lost == 0,
					  "%s: U+%04X", name, c);
			else
				cr_assert(lost == 1 || has_other_byte(c),
					  "%s: U+%04X", name, c);
		}
		(void)iconv_close(cd);
	}
}

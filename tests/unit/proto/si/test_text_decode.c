/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/utf8.h"
#include "common/base/util.h"
#include "proto/si/text.h"

#include <criterion/criterion.h>
#include <iconv.h>
#include <stdio.h>
#include <string.h>

struct sample {
	const char *bytes;
	const char *text;
};

static const struct sample samples[] = {
	{ "", "" },
	{ "plain", "plain" },
	{ "caf\xc2" "e", "café" },
	{ "5 \xa4", "5 €" },
	{ "\xe9re \xd0 \xf9l", "Øre — øl" },
	/* a mark that no letter has: behind it, as Unicode wants it */
	{ "\xc2" "qx", "q\u0301x" },
	/* a mark without a letter */
	{ "ab\xc8", "ab" },
	{ "a\x86" "b\x87\x8a" "c\x1b\x7f", "ab\nc" },
	{ "\x01\xbf\xd5\xe0\xd2\xeb\xd9", "Первый" },
	{ "\x09\xd5\xeb", "Õė" },
	{ "\x0b\xa4", "€" },
	{ "\x15 caf\xc3\xa9", " café" },
	{ "\x15" "a\xee\x82\x8a" "b\xee\x82\x86", "a\nb" },
	{ "\x15" "a\xff\xc3", "a\ufffd\ufffd" },
	{ "\x15\xef\xbb\xbf" "a", "a" },
	{ "\x13\xd6\xd0\xd1\xeb TV", "中央 TV" },
	{ "\x13\xd6", "\ufffd" },
	{ "\x12\xc7\xd1\xb1\xdb", "한글" },
	/* reserved: the characters that all tables share can be read */
	{ "\x0c" "ab\xe9", "ab\ufffd" },
	{ "\x1f\x02zipped", "\ufffd" },
	{ "\x15", "" },
	{ "\x10", "" },
};

Test(text_decode, reads_every_kind_of_table)
{
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		const struct sample *s = &samples[i];
		size_t len = strlen(s->bytes);
		char text[TEXT_UTF8_SIZE(TEXT_DESC_MAX)];

		size_t n = text_decode((const uint8_t *)s->bytes, len, text,
				       sizeof text);
		cr_expect_str_eq(text, s->text, "%zu: %s", i, text);
		cr_expect_eq(n, strlen(text));
	}
}

static void expect(const char *bytes, size_t len, const char *text)
{
	char ret[TEXT_UTF8_SIZE(TEXT_DESC_MAX)];

	(void)text_decode((const uint8_t *)bytes, len, ret, sizeof ret);
	cr_expect_str_eq(ret, text, "%s", ret);
}

Test(text_decode, a_text_without_a_table_is_in_the_wanted_one)
{
	static const struct {
		enum text_table table;
		const char *bytes, *wanted;
	} cases[] = {
		{ TEXT_ISO_6937, "\xbf", "\xc2\xbf" },
		{ TEXT_ISO_8859_5, "\xbf", "\xd0\x9f" },
		{ TEXT_ISO_8859_1, "\xbf\xe9", "\xc2\xbf\xc3\xa9" },
		{ TEXT_UTF8, "\xd0\x9f", "\xd0\x9f" },
		{ TEXT_UTF8, "\xbf", "\xef\xbf\xbd" },
		/* one that names its table */
		{ TEXT_UTF8, "\x01\xbf", "\xd0\x9f" },
	};
	char text[32];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		(void)text_decode_as((const uint8_t *)cases[i].bytes,
				     strlen(cases[i].bytes), cases[i].table,
				     text, sizeof text);
		cr_expect_str_eq(text, cases[i].wanted);
	}
}

Test(text_decode, reads_tables_whose_names_hold_zeros)
{
	expect("\x10\x00\x02\xb1", 4, "ą");
	expect("\x10\x00\x05\xb0", 4, "А");
	expect("\x10\x00\x0c\xb0", 4, "\ufffd");
	expect("\x10\x01\x05\xb0", 4, "\ufffd");
	expect("\x10\x00", 2, "");
	expect("\x11\x04\x16\x00 \xe0\x8a\x00\x00\x00z", 11, "Ж \nz");
	expect("\x14\x4e\x2d\x65\x87\x61", 6, "中文\ufffd");
	expect("\x11\xd8\x3d\xde\x00\xd8\x3d\x00" "a\xde\x00", 11,
	       "\U0001f600\ufffd" "a\ufffd");
}

Test(text_decode, cuts_after_a_whole_character)
{
	static const uint8_t bytes[] = "\x15" "a\xc3\xa9\xe2\x82\xac" "b";
	static const char *const cut[] = { "", "a", "a", "aé", "aé", "aé",
					   "aé€", "aé€b" };

	for (size_t size = 1; size <= ARRAY_LEN(cut); size++) {
		char text[16];

		memset(text, 'X', sizeof text);
		(void)text_decode(bytes, sizeof bytes - 1, text, size);
		cr_expect_str_eq(text, cut[size - 1], "%zu: %s", size, text);
		cr_expect_eq(text[size], 'X');
	}
}

/* --- the C library as a second opinion --- */

/* The text that the C library makes of the bytes, or "" when it has none. */
static void convert(iconv_t cd, const char *bytes, size_t len, char ret[16])
{
	char *in = (char *)bytes, *out = ret;
	size_t room = 15;

	(void)iconv(cd, NULL, NULL, NULL, NULL);
	if (iconv(cd, &in, &len, &out, &room) != 0)
		out = ret;
	*out = '\0';
}

static iconv_t judge(const char *name)
{
	iconv_t cd = iconv_open("UTF-8", name);

	cr_assert_neq(cd, (iconv_t)-1, "%s", name);
	return cd;
}

Test(text_decode, agrees_with_the_c_library_on_iso_8859)
{
	static const unsigned parts[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
					  13, 14, 15 };

	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		char name[16], theirs[16], ours[16];
		iconv_t cd;

		(void)snprintf(name, sizeof name, "ISO-8859-%u", parts[i]);
		cd = judge(name);
		for (unsigned c = 0xa0; c < 0x100; c++) {
			const uint8_t bytes[] = { 0x10, 0, (uint8_t)parts[i],
						  (uint8_t)c };

			convert(cd, (const char *)&bytes[3], 1, theirs);
			(void)text_decode(bytes, 4, ours, sizeof ours);
			if (theirs[0] == '\0')
				cr_expect_str_eq(ours, "\ufffd");
			else
				cr_expect_str_eq(ours, theirs, "%s %02x",
						 name, c);
		}
		(void)iconv_close(cd);
	}
}

Test(text_decode, agrees_with_the_c_library_on_iso_6937)
{
	iconv_t cd = judge("ISO_6937");
	char theirs[16], ours[16];
	unsigned letters = 0;

	for (unsigned c = 0xa0; c < 0x100; c++) {
		for (unsigned letter = 0x20; letter < 0x7f; letter++) {
			const uint8_t bytes[] = { (uint8_t)c,
						  (uint8_t)letter };

			convert(cd, (const char *)bytes, 2, theirs);
			(void)text_decode(bytes, 2, ours, sizeof ours);
			if (theirs[0] == '\0')
				continue;
			letters++;
			cr_expect_str_eq(ours, theirs, "%02x %02x", c, letter);
		}
	}
	cr_expect_gt(letters, 6000);
	(void)iconv_close(cd);
}

static void compare_two_bytes(const char *name, uint8_t selector)
{
	iconv_t cd = judge(name);
	char theirs[16], ours[16];

	for (unsigned i = 0xa1a1; i <= 0xfefe; i++) {
		const uint8_t bytes[] = { selector, (uint8_t)(i >> 8),
					  (uint8_t)i };

		if (bytes[2] < 0xa1 || bytes[2] == 0xff)
			continue;
		convert(cd, (const char *)&bytes[1], 2, theirs);
		(void)text_decode(bytes, 3, ours, sizeof ours);
		if (theirs[0] == '\0')
			(void)snprintf(theirs, sizeof theirs, "\ufffd");
		cr_expect_str_eq(ours, theirs, "%04x: %s %s", i, ours, theirs);
	}
	(void)iconv_close(cd);
}

Test(text_decode, agrees_with_the_c_library_on_chinese)
{
	compare_two_bytes("GB2312", 0x13);
}

Test(text_decode, agrees_with_the_c_library_on_korean)
{
	compare_two_bytes("EUC-KR", 0x12);
}

Test(text_decode, is_valid_utf8_for_any_bytes)
{
	uint32_t seed = 1;

	for (unsigned i = 0; i < 100000; i++) {
		uint8_t bytes[12];
		char text[TEXT_UTF8_SIZE(sizeof bytes)];
		size_t n;

		for (size_t k = 0; k < sizeof bytes; k++) {
			seed = seed * 1664525 + 1013904223;
			bytes[k] = (uint8_t)(seed >> 24);
		}
		bytes[0] &= 0x1f;
		n = text_decode(bytes, i % (sizeof bytes + 1), text,
				sizeof text);
		cr_assert(n < sizeof text && utf8_is_valid(text, n));
		cr_assert_eq(strlen(text), n);
	}
}

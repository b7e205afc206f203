/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/crc32.h"
#include "proto/spec/tables_spec.h"
#include "tests/unit/proto/si/json_eq.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* An empty BAT without its CRC_32. */
#define BAT "4af00d 0001 c1 00 00 f000 f000"

static int read(const char *hex, uint8_t version, uint8_t *ret, size_t *len,
		struct errmsg *error)
{
	const struct si_section_spec s = { .hex = hex, .pid = 17,
					   .version = version };

	return si_section_read(&s, ret, len, error);
}

Test(si_section, adds_the_crc_and_the_version)
{
	uint8_t s[SI_SECTION_BYTES], again[SI_SECTION_BYTES];
	char hex[2 * SI_SECTION_BYTES + 1] = "";
	struct errmsg error;
	size_t len;

	cr_assert_eq(read(BAT, SI_VERSION_ABSENT, s, &len, &error), 0, "%s",
		     error.text);
	cr_assert_eq(len, 16);
	cr_assert_eq(crc32_mpeg(s, len), 0);
	cr_assert_eq(s[5], 0xc1);
	/* the whole section is accepted, too, and stays */
	for (size_t i = 0; i < len; i++)
		(void)sprintf(hex + strlen(hex), "%02X", s[i]);
	cr_assert_eq(read(hex, SI_VERSION_ABSENT, again, &len, &error), 0);
	cr_assert_arr_eq(again, s, len);
	cr_assert_eq(read(BAT, 31, s, &len, &error), 0);
	cr_assert_eq(s[5], 0xff);
	cr_assert_eq(crc32_mpeg(s, len), 0);
	/* a short section has neither */
	cr_assert_eq(read("700005c079124500", 5, s, &len, &error), 0);
	cr_assert_eq(len, 8);
	cr_assert_eq(s[5], 0x12);
}

#define SECTION "{'section': {'table_id': 74, 'bouquet_id': 1," \
	"'descriptors': [], 'streams': []"

static int read_json(const char *text, uint8_t *ret, size_t *len,
		     struct errmsg *error)
{
	struct si_section_spec s = { .pid = 17, .version = SI_VERSION_ABSENT };
	json_t *object = json_of(text);
	int err;

	s.section = json_object_get(object, "section");
	s.hex = json_string_value(json_object_get(object, "hex"));
	err = si_section_read(&s, ret, len, error);
	json_decref(object);
	return err;
}

Test(si_section, may_have_the_fields_of_the_analyzer)
{
	uint8_t made[SI_SECTION_BYTES], bytes[SI_SECTION_BYTES];
	struct errmsg error;
	size_t len, n;

	cr_assert_eq(read_json(SECTION "}}", made, &len, &error), 0, "%s",
		     error.text);
	cr_assert_eq(read(BAT, 0, bytes, &n, &error), 0);
	cr_assert_eq(len, n);
	cr_assert_arr_eq(made, bytes, len);

	cr_expect_lt(read_json(SECTION ", 'x': 1}}", made, &len, &error), 0);
	cr_expect_str_eq(error.text, "section.x: is not a field of what these "
			 "keys describe");
	cr_expect_lt(read_json(SECTION ", 'section_number': 1}}", made, &len,
			       &error), 0);
	cr_expect_str_eq(error.text, "section: section_number 1 is above "
			 "last_section_number 0");
	cr_expect_lt(read_json("{}", made, &len, &error), 0);
	cr_expect_str_eq(error.text, "section: is missing, and hex too");
	cr_expect_lt(read_json(SECTION "}, 'hex': '" BAT "'}", made, &len,
			       &error), 0);
	cr_expect_str_eq(error.text, "section: excludes hex: leave one out");
	cr_expect_lt(read_json("{'section': {'table_id': 0, 'tsid': 1,"
			       "'programs': []}}", made, &len, &error), 0);
	cr_expect_str_eq(error.text, "section: table_id 0 is not one that can "
			 "be sent");
}

Test(si_section, a_section_that_lies_is_refused)
{
	static const char *const list[][2] = {
		{ "", "hex: is not a whole section" },
		{ "4af", "hex: is not a whole section" },
		{ "4af00d000", "hex: is not a whole section" },
		{ "4ag", "hex: has a character at 2 that is no" },
		{ BAT " 00", "hex: has 13 bytes, and its section_length makes "
			     "16" },
		{ BAT "00000000", "hex: its CRC_32 is wrong" },
		{ "4af00c 0001 c1 00 00 f000 f000", "hex: has 12 bytes, and" },
		{ "4af008 0001 c1 00 00", "hex: section_length makes 11" },
		{ "4affff 0001 c1 00 00", "hex: section_length makes 4098" },
		{ "4af400 0001 c1 00 00", "hex: section_length makes 1027" },
		{ "00b00d 0001 c1 00 00 0001e100", "hex: table_id 0 is not" },
		{ "ffffff", "hex: table_id 255 is not" },
		{ "720000", "hex: table_id 114 is not" },
		{ "4af00d 0001 c1 02 01 f000 f000",
		  "hex: section_number 2 is above last_section_number 1" },
	};
	uint8_t s[SI_SECTION_BYTES];
	char much[2 * SI_SECTION_BYTES + 3];
	struct errmsg error;
	size_t len;

	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		cr_expect_lt(read(list[i][0], SI_VERSION_ABSENT, s, &len,
				  &error), 0, "%s", list[i][0]);
		cr_expect(strncmp(error.text, list[i][1],
				  strlen(list[i][1])) == 0, "%s: %s",
			  list[i][0], error.text);
	}
	memset(much, '8', sizeof much - 1);
	much[sizeof much - 1] = '\0';
	cr_expect_lt(read(much, SI_VERSION_ABSENT, s, &len, &error), 0);
	cr_expect_str_eq(error.text, "hex: is longer than 4096 bytes");
}

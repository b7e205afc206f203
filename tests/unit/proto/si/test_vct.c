/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/util.h"
#include "proto/si/record.h"
#include "tests/unit/proto/si/json_eq.h"
#include "tests/unit/worker/ts/build.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The extended channel name of a TVCT, from its multiple string structure. */
static json_t *name_of(const char *strings, const char *key)
{
	static const char head[] = "00 01 0057 0000 0000 0000 0000 0000 0000"
		"f01c01 04 00000000 0009 0001 0dc2 0005 fc";
	uint8_t bytes[256], section[1024];
	unsigned len = (unsigned)from_hex(strings, bytes, sizeof bytes);
	char text[1024];
	json_t *record, *name;

	(void)snprintf(text, sizeof text, "%s %02x a0 %02x %s fc00", head,
		       len + 2, len, strings);
	record = si_record(section, build_table(section, &(struct build_table){
		.table_id = 0xc8, .extension = 9, .body = bytes,
		.len = from_hex(text, bytes, sizeof bytes) }), 0x1ffb);
	name = json_incref(json_object_get(json_array_get(
		json_object_get(record, "channels"), 0), key));
	json_decref(record);
	return name;
}

Test(vct, decodes_names_of_atsc_or_says_why_not)
{
	static const struct { const char *strings, *name, *error; } names[] = {
		{ "01 656e67 01 00 3f 06 0048 d83d dcfa",
		  "H\xf0\x9f\x93\xba", NULL },
		/* the examples 9.1 and 9.2 of the standard of SCSU */
		{ "01 646575 01 00 3e 09 d66c20666c6965df74",
		  "\xc3\x96l flie\xc3\x9ft", NULL },
		{ "01 727573 01 00 3e 07 129cbec1bab2b0",
		  "\xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0",
		  NULL },
		/* SDX; SCU, UC0; SQ1, SQU; SD3, SD4 and SD5 */
		{ "01 656e67 01 00 3e 04 0b01e9fa", "\xf0\x9f\x93\xba", NULL },
		{ "01 656e67 01 00 3e 05 0f0048e0c9", "H\xc3\x89", NULL },
		{ "01 656e67 01 00 3e 06 0269410e20ac",
		  "\xc3\xa9""A\xe2\x82\xac", NULL },
		{ "01 656e67 01 00 3e 09 1b0ab51c68801dfbb1",
		  "\xd4\xb5\xee\x80\x80\xce\xa1", NULL },
		/* Huffman codes of titles and of descriptions (A/65 annex C) */
		{ "01 656e67 01 01 ff 07 431bc61f766810", "The Tonight Show",
		  NULL },
		{ "01 656e67 01 02 00 0e 22ff1bbc7479efd633e9f9a9c6f0",
		  "News and weather from the city.", NULL },
		/* escapes, to characters without a tree and to Latin-1 */
		{ "01 656e67 01 02 ff 09 e0e27bbf5f6eb30000", "q{~}u", NULL },
		{ "01 646575 01 01 ff 0b cbc4d6204d370a94370000",
		  "\xc3\x84\xc3\x96 Kanal 7", NULL },
		{ "01 667261 01 01 ff 05 b95be7a400", "Caf\xc3\xa9", NULL },
		/* without its end, and inside an escape */
		{ "01 656e67 01 01 ff 03 431bc6", "The Toni",
		  NULL },
		{ "01 667261 01 01 ff 03 b95be7", "Caf", NULL },
		{ "01 656e67 01 01 ff 00", NULL, NULL },
		{ "01 656e67 01 03 ff 02 aabb", NULL,
		  "the text is not decoded: it has compression_type 3" },
		{ "01 656e67 01 00 40 02 aabb", NULL,
		  "the text is not decoded: it has mode 0x40" },
		{ "01 656e67 01 00 3e 02 410c", NULL,
		  "the text is not decoded: it has mode 0x3e" },
		{ "01 656e67 01 00 3e 02 410e", NULL,
		  "the text is not decoded: it has mode 0x3e" },
		{ "01 656e67 01 00 00 05 4869", NULL, "the text is cut" },
		{ "02 656e67 01 03 00 01 aa 667261 01 00 00 02 4869", "Hi",
		  NULL },
		{ "00", NULL, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		json_t *name = name_of(names[i].strings, "name");
		json_t *error = name_of(names[i].strings, "name_error");
		const char *is = json_string_value(name);
		const char *why = json_string_value(error);

		cr_expect_str_eq(is != NULL ? is : "",
				 names[i].name != NULL ? names[i].name : "",
				 "%s: %s", names[i].strings, is);
		cr_expect_str_eq(why != NULL ? why : "",
				 names[i].error != NULL ? names[i].error : "",
				 "%s: %s", names[i].strings, why);
		json_decref(name);
		json_decref(error);
	}
}

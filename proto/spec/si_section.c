/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the sections that an operator has written: the list `si' of a
 * stream. */
#include "common/base/crc32.h"
#include "common/base/hex.h"
#include "proto/si/record.h"
#include "proto/spec/tables_spec.h"

#include <errno.h>
#include <string.h>

enum {
	HEADER = 3,
	LONG_HEADER = 8,
	CRC = 4,
	TOT_TABLE = 0x73, /* has a CRC_32 behind a short header */
	FIRST_TABLE = 0x03, /* lower: PAT, CAT and PMT, not allowed in `si' */
	STUFFING_TABLE = 0x72,
	DVB_TABLE = 0x40,
	EIT_FIRST = 0x4e,
	EIT_LAST = 0x6f,
	PRIVATE_TABLE = 0x80,
	/* most bytes of a section of EN 300 468, except EIT and private ones */
	SHORT_MAX = 1024,
};

/* Reads hexadecimal digits; ignores blanks between them. */
static int read_hex(const char *text, uint8_t ret[SI_SECTION_BYTES],
		    size_t *ret_len, struct errmsg *error)
{
	size_t n = 0, len;
	int high = -1;

	for (const char *s = text; *s != '\0'; s++) {
		int digit = hex_digit(*s);

		if (*s == ' ')
			continue;
		if (digit < 0)
			return errmsg_fail(error, -EINVAL, "hex: has a "
					   "character at %zu that is no "
					   "hexadecimal digit",
					   (size_t)(s - text));
		if (high < 0) {
			high = digit;
			continue;
		}
		if (n == SI_SECTION_BYTES)
			return errmsg_fail(error, -EINVAL, "hex: is longer "
					   "than %d bytes", SI_SECTION_BYTES);
		ret[n++] = (uint8_t)(high << 4 | digit);
		high = -1;
	}
	len = n;
	if (high >= 0 || len < HEADER)
		return errmsg_fail(error, -EINVAL, "hex: is not a whole "
				   "section");
	*ret_len = len;
	return 0;
}

static size_t most(uint8_t table_id)
{
	bool is_long = table_id >= PRIVATE_TABLE ||
		       (table_id >= EIT_FIRST && table_id <= EIT_LAST) ||
		       (table_id < DVB_TABLE && table_id >= FIRST_TABLE);

	return is_long ? SI_SECTION_BYTES : SHORT_MAX;
}

/* Checks the bytes of a section; its CRC_32 may be absent.  0 or -EINVAL. */
static int judge_bytes(const uint8_t *s, size_t have, struct errmsg *error)
{
	size_t len = HEADER + ((size_t)(s[1] & 0x0f) << 8 | s[2]);
	bool is_long = s[1] & 0x80;
	bool has_crc = is_long || s[0] == TOT_TABLE;

	if (s[0] < FIRST_TABLE || s[0] == STUFFING_TABLE || s[0] == 0xff)
		return errmsg_fail(error, -EINVAL, "table_id %u is not one "
				   "that can be sent", s[0]);
	if (len > most(s[0]) || len < (is_long ? LONG_HEADER + CRC : HEADER))
		return errmsg_fail(error, -EINVAL, "section_length makes %zu "
				   "bytes, and table_id %u has %d to %zu",
				   len, s[0],
				   is_long ? LONG_HEADER + CRC : HEADER,
				   most(s[0]));
	if (have != len && !(has_crc && have + CRC == len))
		return errmsg_fail(error, -EINVAL, "has %zu bytes, and its "
				   "section_length makes %zu", have, len);
	if (have == len && has_crc && crc32_mpeg(s, len) != 0)
		return errmsg_fail(error, -EINVAL, "its CRC_32 is wrong; it "
				   "may be left out");
	if (is_long && s[6] > s[7])
		return errmsg_fail(error, -EINVAL, "section_number %u is above "
				   "last_section_number %u", s[6], s[7]);
	return 0;
}

int si_section_read(const struct si_section_spec *spec,
		    uint8_t ret[SI_SECTION_BYTES], size_t *ret_len,
		    struct errmsg *error)
{
	size_t have = 0, len;
	uint32_t crc;
	bool is_long;
	int err;

	if ((spec->hex != NULL) == (spec->section != NULL))
		return errmsg_fail(error, -EINVAL, "section: %s",
				   spec->hex != NULL
					   ? "excludes hex: leave one out"
					   : "is missing, and hex too");
	if (spec->hex != NULL) {
		err = read_hex(spec->hex, ret, &have, error);
	} else {
		err = si_record_encode(spec->section, ret, &have, error);
		if (err < 0)
			errmsg_prefix(error, "section.");
	}
	if (err < 0)
		return -EINVAL;
	if (judge_bytes(ret, have, error) < 0) {
		errmsg_prefix(error, "%s: ",
			      spec->hex != NULL ? "hex" : "section");
		return -EINVAL;
	}
	len = HEADER + ((size_t)(ret[1] & 0x0f) << 8 | ret[2]);
	is_long = ret[1] & 0x80;
	if (is_long && spec->version != SI_VERSION_ABSENT)
		ret[5] = (uint8_t)((ret[5] & 0xc1) | spec->version << 1);
	if (is_long || ret[0] == TOT_TABLE) {
		crc = crc32_mpeg(ret, len - CRC);
		for (size_t i = 0; i < CRC; i++)
			ret[len - CRC + i] = (uint8_t)(crc >> (24 - 8 * i));
	}
	*ret_len = len;
	return 0;
}

static int judge(const void *s, struct errmsg *error)
{
	uint8_t section[SI_SECTION_BYTES];
	size_t len;

	return si_section_read(s, section, &len, error);
}

#define AT(member) FIELD_AT(struct si_section_spec, member)

static const struct field rows[] = {
	{ "hex", AT(hex), .flags = FIELD_OBSERVER,
	  .help = "The bytes of the section; the CRC_32 may be left out." },
	{ "section", AT(section), .flags = FIELD_OBSERVER,
	  .help = "The fields of the section, as the analyzer shows them; in "
		  "place of hex." },
	{ "pid", AT(pid), .min = SI_PID_MIN, .max = 8190,
	  .flags = FIELD_REQUIRED | FIELD_OBSERVER,
	  .help = "PID of the section, which no component has." },
	{ "interval", AT(interval_ms), .min = SI_INTERVAL_MIN_MS,
	  .max = SI_SECTION_INTERVAL_MAX_MS, .initial = 1000, .unit = "ms",
	  .flags = FIELD_OBSERVER,
	  .help = "Longest time between two repetitions of the section." },
	{ "version", AT(version), .max = SI_VERSION_ABSENT - 1,
	  .initial = SI_VERSION_ABSENT, .flags = FIELD_OBSERVER,
	  .help = "Version of the table, in place of that of the section." },
};

const struct field_table si_section_fields =
	FIELD_TABLE(struct si_section_spec, rows, .flags = FIELD_LOOSE,
		    .judge = judge);

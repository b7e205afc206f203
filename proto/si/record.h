/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts a section to a JSON record and back:
 *
 *	{"psi": "sdt", "table_id": 66, "pid": 17, "tsid": 1, "version": 3,
 *	 "section_number": 0, "last_section_number": 0, "onid": 1,
 *	 "services": [ … ], "crc32": 1234567890}
 *
 * The tables are PAT, PMT, CAT, NIT, SDT, BAT, EIT, TDT, TOT, VCT (ATSC) and
 * the splice_info_section; doc/api.md has the fields of each.  A record always
 * gives the same section again: if the fields of a descriptor or a section do
 * not give its exact bytes, the object has these as hex in "raw".
 */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* most bytes of a section and of a descriptor that can be written */
	SI_RECORD_BYTES = 4096,
	SI_DESCRIPTOR_BYTES = 257,
};

/*
 * Decodes a whole section.  The caller has checked the CRC_32 of a section with
 * section_syntax_indicator 1.  Returns a new object; NULL: the table is
 * unknown, or section_length, section_syntax_indicator, or the CRC_32 of a
 * section without section_syntax_indicator is wrong.  If a section ends too
 * early, its record has the fields up to there and an "error".
 */
json_t *si_record(const uint8_t *section, size_t len, uint16_t pid);

/*
 * Writes the section of a record.  The record may lack pid, crc32 and keys
 * whose value follows from other keys.  The value of crc32 is not checked.
 * version, section_number and last_section_number are 0 by default.
 *
 * 0, or -EINVAL: the sentence begins with the path of the value,
 * "services[0].sid: is missing".  Unknown keys, and keys that contradict each
 * other, are errors, too.
 */
int si_record_encode(const json_t *record, uint8_t ret[SI_RECORD_BYTES],
		     size_t *ret_len, struct errmsg *error) MUST_CHECK;

/* Writes one descriptor, an object as in the list "descriptors" of a record.
 * Returns as si_record_encode() does. */
int si_descriptor_encode(const json_t *, uint8_t ret[SI_DESCRIPTOR_BYTES],
			 size_t *ret_len, struct errmsg *error) MUST_CHECK;

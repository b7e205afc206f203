/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A section as a JSON record, in both directions:
 *
 *	{"psi": "sdt", "table_id": 66, "pid": 17, "tsid": 1, "version": 3,
 *	 "section_number": 0, "last_section_number": 0, "onid": 1,
 *	 "services": [ … ], "crc32": 1234567890}
 *
 * Covers PAT, PMT, CAT, NIT, SDT, BAT, EIT, TDT, TOT and VCT (ATSC); doc/api.md
 * has the fields of each.  A record gives the same section again: what the
 * fields do not express stays as hex in "raw", of a descriptor or of the
 * section.
 */
#pragma once

#include "common/base/errmsg.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* The longest section and descriptor that can be written. */
	SI_RECORD_BYTES = 4096,
	SI_DESCRIPTOR_BYTES = 257,
};

/*
 * Decodes a whole section whose CRC_32, if any, was checked.  Returns a new
 * object, or NULL: an unknown table, or a section whose section_length or
 * section_syntax_indicator, or the CRC_32 of a TOT, is wrong.  The record of a
 * table that ends too early has the fields up to there and an "error".
 */
json_t *si_record(const uint8_t *section, size_t len, uint16_t pid);

/*
 * Writes the section of a record.  pid, crc32 and the keys that follow from
 * others need not be there, and crc32 is not compared; version, section_number
 * and last_section_number are 0 by default.
 *
 * -EINVAL: the sentence begins with the path of the value, "services[0].sid: is
 * missing".  Unknown keys, and keys that contradict each other, are errors too.
 */
int si_record_encode(const json_t *record, uint8_t ret[SI_RECORD_BYTES],
		     size_t *ret_len, struct errmsg *error) MUST_CHECK;

/* Writes one descriptor, an object of the list "descriptors", in the same
 * way. */
int si_descriptor_encode(const json_t *, uint8_t ret[SI_DESCRIPTOR_BYTES],
			 size_t *ret_len, struct errmsg *error) MUST_CHECK;

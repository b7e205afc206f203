/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes a section to a JSON record for an analyzer:
 *
 *	{"psi": "sdt", "table_id": 66, "pid": 17, "version": 3,
 *	 "crc32": 1234567890, "section_number": 0, "last_section_number": 0,
 *	 "tsid": 1, "onid": 1, "services": [ … ]}
 *
 * Covers PAT, PMT, CAT, NIT, SDT, BAT, EIT, TDT and TOT; doc/api.md has the
 * fields of each.  An unknown table gives no record.  A table that ends too
 * early gives the fields up to there and an "error".
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* The section is whole and its CRC_32, if any, was checked.  A new object, or
 * NULL. */
json_t *si_record(const uint8_t *section, size_t len, uint16_t pid);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes a section to a JSON record for an analyzer:
 *
 *	{"psi": "sdt", "table_id": 66, "pid": 17, "version": 3,
 *	 "crc32": 1234567890, "section_number": 0, "last_section_number": 0,
 *	 "tsid": 1, "onid": 1, "services": [ … ]}
 *
 * Covers PAT, PMT, CAT, NIT, SDT, BAT, EIT, TDT and TOT; doc/api.md has the
 * fields of each.  An unknown table gives no record.  The record of a table
 * that ends too early has the fields up to there and an "error".
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes a whole section whose CRC_32, if any, was checked.  Returns a new
 * object, or NULL. */
json_t *si_record(const uint8_t *section, size_t len, uint16_t pid);

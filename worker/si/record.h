/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A section as the record that an analyzer shows of it, in JSON:
 *
 *	{"psi": "sdt", "table_id": 66, "pid": 17, "version": 3,
 *	 "crc32": 1234567890, "section_number": 0, "last_section_number": 0,
 *	 "tsid": 1, "onid": 1, "services": [ … ]}
 *
 * PAT, PMT, CAT, NIT, SDT, BAT, EIT, TDT and TOT; doc/api.md has the fields
 * of each.  What is not a table we know is no record; one that is and ends
 * too early shows what there is of it and an "error".
 */
#pragma once

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* section is whole and its CRC_32, where it has one, was checked.  A new
 * object, or NULL. */
json_t *si_record(const uint8_t *section, size_t len, uint16_t pid);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes a section of the program association table (PAT, ISO/IEC 13818-1
 * 2.4.4.3). */
#pragma once

#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PAT_TABLE_ID = 0x00,
	PAT_PROGRAMS_MAX = 253, /* maximum in a section of 1,024 bytes */
};

struct pat_program {
	uint16_t number; /* program_number, at least 1 */
	uint16_t pmt_pid;
};

struct pat {
	uint16_t tsid;
	uint8_t version;
	bool current; /* current_next_indicator */
	uint8_t section_number;
	uint8_t last_section_number;
	uint16_t network_pid; /* 0 when not listed */
	size_t n_programs;
	struct pat_program programs[PAT_PROGRAMS_MAX];
};

/* Decodes a whole section whose CRC_32 was checked.  0, or -EBADMSG: not a PAT,
 * or cut inside an entry.  Entries whose PID can carry no PMT (below 0x10,
 * 0x1fff) are ignored. */
int pat_decode(const uint8_t *section, size_t len,
	       struct pat *ret) MUST_CHECK;

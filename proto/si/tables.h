/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables that records describe (ISO/IEC 13818-1 table 2-31, EN 300 468
 * table 2, A/65 table 6.1); only for this folder. */
#pragma once

#include "proto/si/codec.h"

#include <stddef.h>

struct si_table {
	uint8_t first, last; /* table_id */
	const char *name;
	const char *extension; /* key for table_id_extension; NULL: its bits are
				* reserved, all 1 */
	bool has_header; /* section_syntax_indicator is 1: the header has 8
			  * bytes, and not 3 */
	bool has_crc;
	bool is_dvb; /* the bit behind section_syntax_indicator is 1 */
	/* Reads or writes the bytes between the header and the CRC_32. */
	void (*run)(struct codec *);
};

extern const struct si_table si_tables[];
extern const size_t si_tables_n;

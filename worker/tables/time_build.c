/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/tables/time_build.h"

#include "common/base/util.h"
#include "worker/ts/si_table.h"

#include <stdlib.h>

enum {
	DAY_S = 24 * 3600,
	MJD_1970 = 40587, /* the modified Julian date of 1970-01-01 */
	DURATION_MAX_S = 100 * 3600 - 1, /* 99:59:59 */
	LOCAL_TIME_OFFSET = 0x58,
	LOCAL_TIME_LEN = 13,
};

static unsigned bcd(unsigned n)
{
	return n / 10 << 4 | n % 10;
}

void write_duration(struct section_writer *w, unsigned s)
{
	s = MIN(s, (unsigned)DURATION_MAX_S);
	write_u8(w, bcd(s / 3600));
	write_u8(w, bcd(s / 60 % 60));
	write_u8(w, bcd(s % 60));
}

void write_time(struct section_writer *w, int64_t unix_s)
{
	write_u16(w, (uint16_t)(unix_s / DAY_S + MJD_1970));
	write_duration(w, (unsigned)(unix_s % DAY_S));
}

static void write_offset(struct section_writer *w, int minutes)
{
	unsigned m = (unsigned)abs(minutes);

	write_u8(w, bcd(m / 60));
	write_u8(w, bcd(m % 60));
}

void tdt_build(int64_t unix_s, uint8_t ret[TDT_LEN])
{
	struct section_writer w = { .data = ret, .limit = TDT_LEN };

	write_u8(&w, TDT_TABLE_ID);
	write_u16(&w, 0x7000 | (TDT_LEN - 3));
	write_time(&w, unix_s);
}

void tot_build(int64_t unix_s, const struct tot_zone *z, uint8_t ret[TOT_LEN])
{
	struct section_writer w = { .data = ret, .limit = TOT_LEN };
	/* sign of the present offset; if that is 0, sign of the next one */
	int sign = z->offset_min != 0 ? z->offset_min : z->next_min;

	write_u8(&w, TOT_TABLE_ID);
	write_u16(&w, 0x7000 | (TOT_LEN - 3));
	write_time(&w, unix_s);
	write_u16(&w, 0xf000 | (2 + LOCAL_TIME_LEN));
	write_u8(&w, LOCAL_TIME_OFFSET);
	write_u8(&w, LOCAL_TIME_LEN);
	write_bytes(&w, z->country, 3);
	write_u8(&w, sign < 0 ? 0x03 : 0x02); /* country_region_id 0: one time
					       * zone; and
					       * local_time_offset_polarity */
	write_offset(&w, z->offset_min);
	write_time(&w, z->change_at);
	write_offset(&w, z->next_min);
	section_seal(ret, TOT_LEN);
}

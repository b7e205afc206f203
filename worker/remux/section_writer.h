/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes one section with the long header (ISO/IEC 13818-1 2.4.4.11), within
 * its limit, with valid lengths and CRC_32.
 *
 *	section_begin(&w, memory, &head);
 *	write_u16(&w, …);
 *	len = section_end(&w);
 *
 * Borrows the memory.  A field that does not fit is not written; write_fits()
 * checks in advance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SECTION_CRC = 4 };

struct section_writer {
	uint8_t *data;
	size_t len;
	size_t limit; /* most bytes in front of the CRC_32 */
	bool full;    /* a field did not fit: the section is invalid */
};

struct section_head {
	uint8_t table_id;
	bool dvb; /* EN 300 468: the bit behind the syntax indicator is 1 */
	uint16_t extension; /* table_id_extension */
	uint8_t version;
	uint8_t number, last; /* section_number and last_section_number */
	size_t limit; /* bytes with CRC_32: 1024 or 4096 */
};

void section_begin(struct section_writer *, uint8_t *memory,
		   const struct section_head *);
/* Ends the section with its CRC_32.  Returns its length; 0: a field did not
 * fit. */
size_t section_end(struct section_writer *);

static inline bool write_fits(const struct section_writer *w, size_t len)
{
	return !w->full && w->limit - w->len >= len;
}

void write_bytes(struct section_writer *, const void *data, size_t len);
void write_u8(struct section_writer *, unsigned value);
void write_u16(struct section_writer *, unsigned value);
/* Writes a PID behind three bits that are 1. */
void write_pid(struct section_writer *, uint16_t pid);

/* Writes a length of 12 bits behind four bits that are 1.  write_loop_begin()
 * returns its offset; write_loop_end() sets it to the number of bytes that
 * followed. */
size_t write_loop_begin(struct section_writer *);
void write_loop_end(struct section_writer *, size_t at);

/* Writes the CRC_32 of a section whose bytes were changed. */
void section_seal(uint8_t *section, size_t len);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/scsu.h"

#include <string.h>

enum {
	WINDOWS = 8,
	HALF = 0x80, /* number of characters in a window */
	/* tags of the single-byte mode; SQ0, SC0 and SD0 are those for window
	 * 0, and the next values those for windows 1 to 7 */
	SQ0 = 0x01, SDX = 0x0b, SQU = 0x0e, SCU = 0x0f, SC0 = 0x10, SD0 = 0x18,
	/* tags of the Unicode mode, UC0 and UD0 for window 0 */
	UC0 = 0xe0, UD0 = 0xe8, UQU = 0xf0, UDX = 0xf1, UNICODE_RESERVED = 0xf2,
	/* ranges of the byte that places a window (table 4 of the standard):
	 * from SECOND on GAP is added; from FIRST_FREE on it is reserved; from
	 * SPECIAL on it stands for a fixed place */
	SECOND = 0x68, FIRST_FREE = 0xa8, SPECIAL = 0xf9, GAP = 0xac00,
};

struct scsu {
	struct bits in;
	scsu_fn *fn;
	void *arg;
	bool unicode; /* Unicode mode; false: single-byte mode */
	unsigned active; /* index of the active window */
	uint32_t windows[WINDOWS]; /* first character of each window */
};

static const uint32_t static_windows[WINDOWS] = {
	0, 0x80, 0x100, 0x300, 0x2000, 0x2080, 0x2100, 0x3000,
};
static const uint32_t first_windows[WINDOWS] = {
	0x80, 0xc0, 0x400, 0x600, 0x900, 0x3040, 0x30a0, 0xff00,
};

static uint8_t next(struct scsu *s)
{
	return (uint8_t)bits_take(&s->in, 8);
}

static bool define(struct scsu *s, unsigned window)
{
	static const uint16_t special[] = { 0x00c0, 0x0250, 0x0370, 0x0530,
					    0x3040, 0x30a0, 0xff60 };
	uint8_t number = next(s);
	uint32_t at = (uint32_t)number * HALF;

	if (number == 0 || (number >= FIRST_FREE && number < SPECIAL))
		return false;
	if (number >= SPECIAL)
		at = special[number - SPECIAL];
	else if (number >= SECOND)
		at += GAP;
	s->windows[window] = at;
	s->active = window;
	s->unicode = false;
	return true;
}

static void define_extended(struct scsu *s)
{
	unsigned word = (unsigned)bits_take(&s->in, 16);

	s->active = word >> 13;
	s->windows[s->active] = 0x10000 + (word & 0x1fff) * HALF;
	s->unicode = false;
}

static void report_unit(struct scsu *s)
{
	uint32_t unit = (uint32_t)bits_take(&s->in, 16);

	if (!s->in.cut)
		s->fn(unit, s->arg);
}

static void report_quoted(struct scsu *s, unsigned window)
{
	uint8_t byte = next(s);

	if (!s->in.cut)
		s->fn(byte < HALF ? static_windows[window] + byte
				  : s->windows[window] + byte - HALF, s->arg);
}

static bool step_single(struct scsu *s)
{
	uint8_t byte = next(s);

	if (byte >= HALF)
		s->fn(s->windows[s->active] + byte - HALF, s->arg);
	else if (byte >= SD0 + WINDOWS || byte == 0 || byte == '\t' ||
		 byte == '\n' || byte == '\r')
		s->fn(byte, s->arg);
	else if (byte >= SD0)
		return define(s, byte - SD0);
	else if (byte >= SC0)
		s->active = byte - SC0;
	else if (byte < SQ0 + WINDOWS)
		report_quoted(s, byte - SQ0);
	else if (byte == SDX)
		define_extended(s);
	else if (byte == SQU)
		report_unit(s);
	else if (byte == SCU)
		s->unicode = true;
	else
		return false;
	return true;
}

static bool step_unicode(struct scsu *s)
{
	uint8_t byte = next(s);

	if (byte < UC0 || byte > UNICODE_RESERVED) {
		s->in.pos -= 8;
		report_unit(s);
	} else if (byte < UD0) {
		s->active = byte - UC0;
		s->unicode = false;
	} else if (byte < UQU) {
		return define(s, byte - UD0);
	} else if (byte == UQU) {
		report_unit(s);
	} else if (byte == UDX) {
		define_extended(s);
	} else {
		return false;
	}
	return true;
}

bool scsu_each(struct bytes text, scsu_fn *fn, void *arg)
{
	struct scsu s = { .in = bits_of(text.data, text.len), .fn = fn,
			  .arg = arg };

	memcpy(s.windows, first_windows, sizeof s.windows);
	while (bits_left(&s.in) > 0)
		if (!(s.unicode ? step_unicode(&s) : step_single(&s)))
			return false;
	return !s.in.cut;
}

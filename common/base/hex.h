/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hexadecimal digits, and the escapes of addresses (RFC 3986 2.1). */
#pragma once

/* 0 to 15, of either case; -1 for another character. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* "%41" is 0x41; -1 for anything else. */
static inline int hex_percent(const char *p)
{
	int high, low;

	if (p[0] != '%')
		return -1;
	high = hex_digit(p[1]);
	if (high < 0)
		return -1;
	low = hex_digit(p[2]);
	return low < 0 ? -1 : high << 4 | low;
}

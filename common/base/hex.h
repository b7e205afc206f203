/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hexadecimal digits, and the escapes of addresses (RFC 3986 2.1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of a digit, 0 to 15, in upper or lower case; -1: another
 * character. */
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

/* Reads 2 * n digits; false: another character, or the end of the text. */
static inline bool hex_read(const char *text, uint8_t *ret, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int high = hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* Writes 2 * n digits and a NUL. */
static inline void hex_write(char *ret, const uint8_t *data, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < n; i++) {
		ret[2 * i] = digits[data[i] >> 4];
		ret[2 * i + 1] = digits[data[i] & 0x0f];
	}
	ret[2 * n] = '\0';
}

/* The byte of the escape at p: 0x41 for "%41"; -1: no escape is there. */
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

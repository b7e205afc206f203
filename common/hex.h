/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hexadecimal digits. */
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

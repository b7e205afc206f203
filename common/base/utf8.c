/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/utf8.h"

#include <string.h>

/* The length of a character whose first byte is lead; 0: no character begins
 * with lead.  The second byte must be in [*min, *max] (RFC 3629 section 4). */
static size_t sequence(uint8_t lead, uint8_t *min, uint8_t *max)
{
	*min = 0x80;
	*max = 0xbf;
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef) {
		if (lead == 0xe0)
			*min = 0xa0;
		if (lead == 0xed)
			*max = 0x9f;
		return 3;
	}
	if (lead >= 0xf0 && lead <= 0xf4) {
		if (lead == 0xf0)
			*min = 0x90;
		if (lead == 0xf4)
			*max = 0x8f;
		return 4;
	}
	return 0;
}

/* The length of the character at p, or 0 if it is invalid. */
static size_t measure(const uint8_t *p, size_t len)
{
	uint8_t min, max;
	size_t n = sequence(*p, &min, &max);

	if (n == 0 || len < n)
		return 0;
	if (n > 1 && (p[1] < min || p[1] > max))
		return 0;
	for (size_t i = 2; i < n; i++)
		if (p[i] < 0x80 || p[i] > 0xbf)
			return 0;
	return n;
}

bool utf8_is_valid(const void *text, size_t len)
{
	const uint8_t *p = text;

	for (size_t n; len > 0; p += n, len -= n) {
		n = measure(p, len);
		if (n == 0)
			return false;
	}
	return true;
}

void utf8_repair(char *text)
{
	size_t left = strlen(text);

	for (size_t n; left > 0; text += n, left -= n) {
		n = measure((const uint8_t *)text, left);
		if (n == 0) {
			*text = '?';
			n = 1;
		}
	}
}

size_t utf8_get(const void *text, size_t len, uint32_t *ret)
{
	static const uint8_t payload[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const uint8_t *p = text;
	size_t n = measure(p, len);

	if (n == 0) {
		*ret = UTF8_REPLACEMENT;
		return 1;
	}
	*ret = p[0] & payload[n];
	for (size_t i = 1; i < n; i++)
		*ret = *ret << 6 | (p[i] & 0x3f);
	return n;
}

size_t utf8_put(uint32_t c, char ret[UTF8_MAX])
{
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t n;

	if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = UTF8_REPLACEMENT;
	n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		ret[i] = (char)(0x80 | (c & 0x3f));
	ret[0] = (char)(lead[n] | c);
	return n;
}

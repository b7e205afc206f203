/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/utf8.h"

#include <stdint.h>

/* The length of the sequence that lead starts; 0 when it starts none.  The
 * second byte lies in [*min, *max] (RFC 3629 section 4). */
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

bool utf8_is_valid(const void *text, size_t len)
{
	const uint8_t *p = text;
	const uint8_t *end = p + len;

	while (p < end) {
		uint8_t min, max;
		size_t n = sequence(*p, &min, &max);

		if (n == 0 || (size_t)(end - p) < n)
			return false;
		if (n > 1 && (p[1] < min || p[1] > max))
			return false;
		for (size_t i = 2; i < n; i++)
			if (p[i] < 0x80 || p[i] > 0xbf)
				return false;
		p += n;
	}
	return true;
}

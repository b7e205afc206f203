/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/log_word.h"

#include "common/base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Can the character stay as it is?  Blanks end a word, ':' and '=' begin a
 * value, and quotes begin a text. */
static bool is_plain(uint32_t c)
{
	if (c < 0x80)
		return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		       (c >= 'a' && c <= 'z') ||
		       (c != 0 && strchr("-._@+/~,*", (int)c) != NULL);
	/* Up to U+00A0: C1 controls and a blank.  U+2000 to U+206F: blanks and
	 * marks of direction.  U+1680, U+3000: further blanks.  U+FEFF: the
	 * byte order mark. */
	return c > 0xa0 && (c < 0x2000 || c > 0x206f) && c != 0x1680 &&
	       c != 0x3000 && c != 0xfeff && c != UTF8_REPLACEMENT;
}

void log_word(const char *text, char *ret, size_t size)
{
	size_t left = strlen(text), at = 0;

	while (left > 0) {
		uint32_t c;
		size_t n = utf8_get(text, left, &c);
		bool plain = is_plain(c);

		if (at + (plain ? n : 3 * n) >= size)
			break;
		if (plain)
			memcpy(ret + at, text, n);
		for (size_t i = 0; !plain && i < n; i++)
			(void)snprintf(ret + at + 3 * i, 4, "%%%02X",
				       (unsigned char)text[i]);
		at += plain ? n : 3 * n;
		text += n;
		left -= n;
	}
	ret[at] = '\0';
}

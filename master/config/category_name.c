/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/category_name.h"

#include "common/base/alloc.h"

#include <locale.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

enum {
	NAME_MAX_CHARS = 64,
	FIRST_BEYOND_CONTROLS = 0xa1,
};

struct category_names {
	locale_t locale; /* 0: the C library does not have it */
	wctype_t marks; /* class of combining marks; 0: unknown */
};

struct category_names *category_names_new(void)
{
	struct category_names *n = xcalloc(1, sizeof *n);

	n->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (n->locale != (locale_t)0)
		n->marks = wctype_l("combining", n->locale);
	return n;
}

void category_names_free(struct category_names **p)
{
	struct category_names *n = *p;

	*p = NULL;
	if (n == NULL)
		return;
	if (n->locale != (locale_t)0)
		freelocale(n->locale);
	free(n);
}

/* Returns the next character of valid UTF-8 and moves *at; 0: the end. */
static wint_t next(const char **at)
{
	const unsigned char *s = (const unsigned char *)*at;
	wint_t c = *s;
	unsigned more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if (c == 0)
		return 0;
	if (more > 0)
		c &= 0x3fU >> more;
	for (unsigned i = 1; i <= more; i++)
		c = c << 6 | (s[i] & 0x3fU);
	*at += more + 1;
	return c;
}

bool category_name_is_valid(const struct category_names *n, const char *text)
{
	size_t len = strlen(text);
	unsigned count = 0;
	wint_t c;

	if (len == 0 || text[0] == ' ' || text[len - 1] == ' ')
		return false;
	while ((c = next(&text)) != 0) {
		bool ok;

		if (++count > NAME_MAX_CHARS)
			return false;
		if (c < 0x80)
			ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') ||
			     strchr(" -_.&+/", (int)c) != NULL;
		else if (n->locale == (locale_t)0)
			ok = c >= FIRST_BEYOND_CONTROLS;
		else /* a mark belongs to the character in front of it */
			ok = iswalnum_l(c, n->locale) ||
			     (count > 1 && n->marks != 0 &&
			      iswctype_l(c, n->marks, n->locale));
		if (!ok)
			return false;
	}
	return true;
}

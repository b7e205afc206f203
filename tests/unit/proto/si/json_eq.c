/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/proto/si/json_eq.h"

#include "common/base/alloc.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdlib.h>

json_t *json_of(const char *text)
{
	char *json = xstrdup(text);
	json_error_t why;
	json_t *value;

	for (char *p = json; *p != '\0'; p++)
		if (*p == '\'')
			*p = '"';
	value = json_loads(json, JSON_REJECT_DUPLICATES, &why);
	cr_assert(value, "%s: %s", why.text, text);
	free(json);
	return value;
}

void expect_json(json_t *got, const char *text)
{
	json_t *wanted = json_of(text);
	char *shown = json_dumps(got, JSON_ENCODE_ANY | JSON_COMPACT);

	cr_expect(json_equal(got, wanted), "\n%s\n%s", shown, text);
	free(shown);
	json_decref(wanted);
	json_decref(got);
}

static unsigned digit(char c)
{
	return isdigit((unsigned char)c) ? (unsigned)(c - '0')
					 : (unsigned)(c - 'a' + 10);
}

size_t from_hex(const char *hex, uint8_t *ret, size_t size)
{
	size_t n = 0;

	for (; *hex != '\0'; hex += 2) {
		while (*hex == ' ')
			hex++;
		if (*hex == '\0')
			break;
		cr_assert(n < size && hex[1] != '\0');
		ret[n++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	}
	return n;
}

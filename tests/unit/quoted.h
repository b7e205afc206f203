/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON in tests, with ' in the place of " so that it can be read. */
#pragma once

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static inline json_t *quoted(const char *text)
{
	char *copy = strdup(text);
	json_t *value;

	for (char *p = copy; *p != '\0'; p++)
		*p = *p == '\'' ? '"' : *p;
	value = json_loads(copy, JSON_DECODE_ANY, NULL);
	cr_assert_not_null(value, "%s", text);
	free(copy);
	return value;
}

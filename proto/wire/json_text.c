/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/wire/json_text.h"

#include "common/base/util.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS_MAX = DBL_DIG + 2 };

static int digits_of_real(double x)
{
	char text[64];
	int digits = DBL_DIG;

	while (digits < DIGITS_MAX) {
		(void)snprintf(text, sizeof text, "%.*g", digits, x);
		if (!(strtod(text, NULL) < x) && !(strtod(text, NULL) > x))
			break;
		digits++;
	}
	return digits;
}

static int digits_of(const json_t *value)
{
	json_t *any = (json_t *)value;
	int digits = DBL_DIG;
	const char *key;
	json_t *member;
	size_t i;

	if (json_is_real(value))
		return digits_of_real(json_real_value(value));
	/* not in MAX(), which evaluates an argument twice: the time would
	 * double with each level */
	json_array_foreach(any, i, member) {
		int more = digits_of(member);

		digits = MAX(digits, more);
	}
	json_object_foreach(any, key, member) {
		int more = digits_of(member);

		digits = MAX(digits, more);
	}
	return digits;
}

size_t json_text_flags(const json_t *value)
{
	return JSON_REAL_PRECISION((size_t)digits_of(value));
}

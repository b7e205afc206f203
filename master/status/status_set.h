/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets members of the status JSON. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

static inline void set_int(json_t *o, const char *key, uint64_t value)
{
	(void)json_object_set_new_nocheck(o, key,
					  json_integer((json_int_t)value));
}

static inline void set_bool(json_t *o, const char *key, bool value)
{
	(void)json_object_set_new_nocheck(o, key, json_boolean(value));
}

/* Sets a text; NULL, or a text that is not UTF-8, sets no member. */
static inline void set_text(json_t *o, const char *key, const char *text)
{
	json_t *value = text != NULL ? json_string(text) : NULL;

	if (value != NULL)
		(void)json_object_set_new_nocheck(o, key, value);
}

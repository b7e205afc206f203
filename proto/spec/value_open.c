/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/value_open.h"

#include "proto/spec/address_open.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

json_t *value_open_items(const json_t *items, value_open_fn *open,
			 const void *arg)
{
	json_t *copy, *item, *value;
	const char *key;
	size_t i;

	if (json_is_array(items)) {
		copy = json_array();
		json_array_foreach((json_t *)(uintptr_t)items, i, item) {
			value = open(item, arg);
			(void)json_array_append_new(
				copy, value != NULL ? value : json_null());
		}
		return copy;
	}
	copy = json_object();
	json_object_foreach((json_t *)(uintptr_t)items, key, item) {
		value = open(item, arg);
		if (value != NULL)
			(void)json_object_set_new(copy, key, value);
	}
	return copy;
}

json_t *value_open_scalar(const json_t *value, const void *arg)
{
	(void)arg;
	return json_is_string(value) || json_is_number(value) ||
			       json_is_boolean(value)
		       ? json_incref((json_t *)(uintptr_t)value)
		       : NULL;
}

json_t *value_open_number(const json_t *value, const void *arg)
{
	const char *text = json_string_value(value);
	bool is_number = json_is_number(value) || json_is_boolean(value) ||
			 (text != NULL &&
			  (text[strspn(text, "0123456789.-")] == '\0' ||
			   strcmp(text, "true") == 0 ||
			   strcmp(text, "false") == 0));

	return is_number ? value_open_scalar(value, arg) : NULL;
}

json_t *value_open_each(const json_t *value, value_open_fn *open,
			const void *arg)
{
	return json_is_array(value) ? value_open_items(value, open, arg)
				    : open(value, arg);
}

json_t *value_open_address(const char *key, const char *text)
{
	enum address_use use = strcmp(key, "output") == 0 ? ADDRESS_OUTPUT
							  : ADDRESS_INPUT;
	/* the keys of hosts contain "host", those of addresses do not */
	char *shown = strstr(key, "host") != NULL ? address_open_host(text)
						  : address_open(text, use);
	json_t *value = json_string(shown);

	free(shown);
	return value;
}

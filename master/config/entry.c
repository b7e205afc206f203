/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/config/entry.h"

#include <string.h>

size_t entry_place(const json_t *list, size_t start, const char *key,
		   const char *text)
{
	size_t n = json_array_size(list);

	for (size_t i = start; text != NULL && i < n; i++) {
		const char *other = json_string_value(
			json_object_get(json_array_get(list, i), key));

		if (other != NULL && strcmp(other, text) == 0)
			return i;
	}
	return n;
}

const json_t *entry_find(const json_t *list, const char *key, const char *text)
{
	return json_array_get(list, entry_place(list, 0, key, text));
}

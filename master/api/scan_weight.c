/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/scan_weight.h"

#include "common/base/util.h"

#include <stdint.h>
#include <string.h>

enum {
	VALUE_BYTES = 48,  /* memory of any value, without its text */
	/* additional memory of a list or object, without its items */
	HOLDER_BYTES = 96,
};

size_t scan_weight(const json_t *value, size_t limit)
{
	size_t n = VALUE_BYTES, i;
	const char *key;
	json_t *item;

	if (json_is_string(value))
		return n + json_string_length(value);
	if (!json_is_object(value) && !json_is_array(value))
		return n;
	n += HOLDER_BYTES;
	json_array_foreach(value, i, item) {
		if (n > limit)
			return n;
		n += scan_weight(item, limit - n);
	}
	json_object_foreach((json_t *)(uintptr_t)value, key, item) {
		if (n > limit)
			return n;
		n += strlen(key) + scan_weight(item, limit - n);
	}
	return n;
}

static bool is_plain(const json_t *value)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(value))
		return !json_is_object(value);
	json_array_foreach(value, i, item)
		if (!json_is_number(item))
			return false;
	return json_array_size(value) <= SCAN_ITEM_LIST_MAX;
}

bool scan_item_is_small(const json_t *object)
{
	const char *key;
	json_t *value;

	if (json_object_size(object) > SCAN_ITEM_KEYS_MAX)
		return false;
	json_object_foreach((json_t *)(uintptr_t)object, key, value)
		if (!is_plain(value))
			return false;
	return json_dumpb(object, NULL, 0, JSON_COMPACT) <=
	       SCAN_ITEM_BYTES_MAX;
}

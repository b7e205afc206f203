/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/si/record_same.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static int compare(const char *key, const json_t *given, const json_t *made,
		   struct errmsg *error);

/* Compares two objects.  list: the key of the list in which they are; "": they
 * are the whole records. */
static int compare_objects(const char *list, const json_t *given,
			   const json_t *made, struct errmsg *error)
{
	const char *name = json_string_value(json_object_get(made,
							     "type_name"));
	bool is_descriptor = strcmp(list, "descriptors") == 0 &&
			     name != NULL && strcmp(name, "broken") != 0;
	const char *key;
	json_t *value;
	int err;

	json_object_foreach((json_t *)(uintptr_t)given, key, value) {
		/* The bytes of "raw" were written unchanged, so they need not
		 * be compared; the record that was read may lack them.  A
		 * broken descriptor has no "raw": its bytes are in "data". */
		if (is_descriptor && strcmp(key, "raw") == 0)
			continue;
		err = compare(key, value, json_object_get(made, key), error);
		if (err < 0)
			return err;
	}
	return 0;
}

static int compare_lists(const char *key, const json_t *given,
			 const json_t *made, struct errmsg *error)
{
	size_t n = json_array_size(given);

	if (n != json_array_size(made))
		return errmsg_fail(error, -EINVAL, "%.40s: has %zu items, and "
				   "the section has %zu", key, n,
				   json_array_size(made));
	for (size_t i = 0; i < n; i++) {
		const json_t *a = json_array_get(given, i);
		const json_t *b = json_array_get(made, i);

		if (json_is_object(a) && json_is_object(b)) {
			if (compare_objects(key, a, b, error) < 0) {
				errmsg_prefix(error, "%.40s[%zu].", key, i);
				return -EINVAL;
			}
		} else if (!json_equal(a, b)) {
			return errmsg_fail(error, -EINVAL, "%.40s: item %zu "
					   "differs from the section", key, i);
		}
	}
	return 0;
}

static int compare(const char *key, const json_t *given, const json_t *made,
		   struct errmsg *error)
{
	/* "next": false means the same as an absent key */
	if (strcmp(key, "next") == 0 && json_is_false(given))
		return 0;
	if (made == NULL)
		return errmsg_fail(error, -EINVAL, "%.40s: is not a field of "
				   "what these keys describe", key);
	if (json_is_array(given) && json_is_array(made))
		return compare_lists(key, given, made, error);
	/* the case is not compared, because hexadecimal digits may have either;
	 * texts are written with their case anyway */
	if (json_is_string(given) && json_is_string(made) &&
	    strcasecmp(json_string_value(given), json_string_value(made)) == 0)
		return 0;
	if (json_equal(given, made))
		return 0;
	if (json_is_string(made))
		return errmsg_fail(error, -EINVAL, "%.40s: contradicts other "
				   "keys, which make it \"%.80s\"", key,
				   json_string_value(made));
	if (json_is_integer(made))
		return errmsg_fail(error, -EINVAL, "%.40s: contradicts other "
				   "keys, which make it %lld", key,
				   (long long)json_integer_value(made));
	return errmsg_fail(error, -EINVAL, "%.40s: contradicts other keys",
			   key);
}

int record_same(const json_t *given, const json_t *made, struct errmsg *error)
{
	const json_t *crc = json_object_get(given, "crc32");
	json_t *same;
	int err;

	if (crc != NULL && !json_is_integer(crc))
		return errmsg_fail(error, -EINVAL, "crc32: is not a whole "
				   "number");
	same = json_copy((json_t *)(uintptr_t)given);
	/* not compared: the PID is not in the section; the CRC_32 was computed;
	 * "raw" was written unchanged */
	(void)json_object_del(same, "pid");
	(void)json_object_del(same, "crc32");
	(void)json_object_del(same, "raw");
	err = compare_objects("", same, made, error);
	json_decref(same);
	return err;
}

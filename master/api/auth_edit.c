/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/auth_edit.h"

#include "common/base/alloc.h"
#include "common/base/ip_prefix.h"
#include "common/base/log.h"
#include "common/base/util.h"

#include <stdlib.h>
#include <string.h>

enum { V4_MORE_BITS = IP_BITS - 32 };

struct item {
	json_t *value; /* borrowed */
	unsigned bits; /* as it is written: of 32 or of 128 */
	size_t place;
};

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->bits != y->bits)
		return x->bits > y->bits ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* False, and a line in the log, when it is no address. */
static bool read_item(const char *key, json_t *value, size_t place,
		      struct item *ret)
{
	const char *text = json_string_value(value);
	struct ip_prefix prefix;

	if (text == NULL || ip_prefix_parse(text, &prefix) < 0) {
		log_warning("auth", "%s[%zu]: \"%.64s\" is not an address: "
			    "it is left out", key, place,
			    text != NULL ? text : "?");
		return false;
	}
	*ret = (struct item){ value, prefix.bits, place };
	if (strchr(text, ':') == NULL)
		ret->bits -= V4_MORE_BITS;
	return true;
}

static json_t *sort(const char *key, const json_t *list)
{
	struct item *items = xcalloc(json_array_size(list) + 1,
				     sizeof *items);
	json_t *sorted = json_array();
	size_t n = 0, i;
	json_t *value;

	json_array_foreach((json_t *)list, i, value)
		n += read_item(key, value, i, &items[n]);
	qsort(items, n, sizeof *items, compare);
	for (i = 0; i < n; i++)
		(void)json_array_append(sorted, items[i].value);
	free(items);
	return sorted;
}

static const char *const lists[] = { "http_ip_allow", "http_ip_deny" };

void auth_edit_lists(json_t *section)
{
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const json_t *list = json_object_get(section, lists[i]);

		if (json_is_array(list))
			(void)json_object_set_new(section, lists[i],
						  sort(lists[i], list));
	}
}

static bool is_backend(const json_t *backend)
{
	const char *text = json_string_value(backend);

	if (text != NULL)
		return strstr(text, "://") != NULL;
	return json_is_object(backend) &&
	       json_is_string(json_object_get(backend, "format")) &&
	       json_is_string(json_object_get(backend, "host"));
}

void auth_edit_warn(const json_t *section)
{
	const json_t *backend = json_object_get(section, "backend");
	const json_t *enable = json_object_get(section, "enable");

	if (enable != NULL && !json_is_boolean(enable))
		log_warning("auth", "enable: is not true or false: "
			    "authorization is off");
	if (backend != NULL && !is_backend(backend))
		log_warning("auth", "backend: is not a URL: it is not used");
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const json_t *list = json_object_get(section, lists[i]);

		if (list != NULL && !json_is_array(list))
			log_warning("auth", "%s: is not a list: it is not "
				    "used", lists[i]);
	}
}

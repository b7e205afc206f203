/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "master/api/auth_edit.h"

#include "common/base/alloc.h"
#include "common/base/ip_prefix.h"
#include "common/base/log.h"
#include "common/base/util.h"
#include "master/api/command.h"
#include "master/streams/reconciler.h"
#include "master/viewers/viewers.h"

#include <stdlib.h>
#include <string.h>

enum { V4_MORE_BITS = IP_BITS - 32 };

struct item {
	json_t *value; /* borrowed */
	/* length of the prefix: at most 32 bits for IPv4, 128 for IPv6 */
	unsigned bits;
	size_t place;
};

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->bits != y->bits)
		return x->bits > y->bits ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* Returns the sorted list, a new reference; items that are not addresses are
 * logged and dropped. */
static json_t *sort(const char *key, const json_t *list)
{
	struct item *items = xcalloc(json_array_size(list) + 1,
				     sizeof *items);
	json_t *sorted = json_array();
	struct ip_prefix prefix;
	size_t n = 0, i;
	json_t *value;

	json_array_foreach((json_t *)list, i, value) {
		const char *text = json_string_value(value);

		if (text == NULL || ip_prefix_parse(text, &prefix) < 0) {
			log_warning("auth", "%s[%zu]: \"%.64s\" is not an "
					    "address or network: the entry is "
					    "not stored", key, i,
				    text != NULL ? text : "?");
			continue;
		}
		if (strchr(text, ':') == NULL)
			prefix.bits -= V4_MORE_BITS;
		items[n++] = (struct item){ value, prefix.bits, i };
	}
	qsort(items, n, sizeof *items, compare);
	for (i = 0; i < n; i++)
		(void)json_array_append(sorted, items[i].value);
	free(items);
	return sorted;
}

void auth_edit_sort(json_t *section)
{
	static const char *const lists[] = { "http_ip_allow", "http_ip_deny" };

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const json_t *list = json_object_get(section, lists[i]);

		if (json_is_array(list))
			(void)json_object_set_new(section, lists[i],
						  sort(lists[i], list));
	}
}

void auth_edit_apply(struct api *api)
{
	reconciler_close_viewers(api->cfg.reconciler, false);
	viewers_changed(api->cfg.viewers);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other programs' spelling of options: ?key=value&… behind the port. */
#include "proto/io/option.h"
#include "proto/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int io_query_read(const char *query, io_query_fn *read, void *arg,
		  struct errmsg *why)
{
	char text[ADDRESS_TEXT_MAX + 1], *rest = text, *item;

	(void)snprintf(text, sizeof text, "%s", query);
	while ((item = strsep(&rest, "&")) != NULL) {
		char *value = strchr(item, '=');
		int r;

		if (value == NULL)
			continue;
		*value++ = '\0';
		if (!option_percent_decode(value))
			return errmsg_fail(why, -EINVAL,
					   "%.32s: has a broken %% escape",
					   item);
		r = read(item, value, arg, why);
		if (r < 0)
			return r;
	}
	return 0;
}

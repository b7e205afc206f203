/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <string.h>

int io_inner_read(const char *value, char ret_text[IO_INNER_MAX + 1],
		  struct input_spec *ret, struct errmsg *why)
{
	size_t len = strlen(value);
	int r;

	if (len > IO_INNER_MAX)
		return errmsg_fail(why, -EINVAL, "is longer than %d bytes",
				   IO_INNER_MAX);
	if (strchr(value, '#') != NULL)
		return errmsg_fail(why, -EINVAL, "a '#' in it is written "
				   "%%23, and a '&' %%26");
	memcpy(ret_text, value, len + 1);
	if (!option_percent_decode(ret_text))
		return errmsg_fail(why, -EINVAL, "has a broken %% escape");
	r = input_spec_parse(ret_text, ret, NULL, NULL, why);
	return r == -ENOTSUP ? -EINVAL : r;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stream://: what another stream of this instance sends. */
#include "proto/spec/io_type.h"

#include <errno.h>
#include <string.h>

static int read_input(const struct address *a, struct input_spec *spec,
		      struct errmsg *why)
{
	size_t len = strlen(a->target);

	if (len == 0)
		return errmsg_fail(why, -EINVAL, "stream: has no id");
	if (len > IO_ID_MAX)
		return errmsg_fail(why, -EINVAL,
				   "stream: an id has at most %d characters",
				   IO_ID_MAX);
	memcpy(spec->stream, a->target, len + 1);
	return 0;
}

static const char *const idle_inputs[] = { "watchdog", "no_reload", NULL };

const struct input_type input_stream_type = {
	.name = "stream",
	.kind = INPUT_STREAM,
	.read = read_input,
	.idle = idle_inputs,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file:// */
#include "proto/io/type.h"

static const struct io_option input_options[] = {
	{ "loop", IO_FLAG, IO_INPUT(loop), 0, 0 },
	{ 0 },
};

static int read_input(const struct address *a, struct input_spec *spec,
			   struct errmsg *why)
{
	return io_copy_path(a->target, spec->path, why);
}

const struct input_type input_file_type = {
	.name = "file",
	.kind = INPUT_FILE,
	.read = read_input,
	.options = input_options,
};

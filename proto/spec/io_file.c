/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file:// */
#include "proto/spec/io_type.h"

#include <errno.h>
#include <string.h>

enum {
	ROTATE_MAX_S = 31 * 24 * 3600,
	ROTATE_MAX_MIB = 1024 * 1024,
	FREE_MAX_MIB = 1024 * 1024,
};

static const struct io_option input_options[] = {
	{ "loop", IO_FLAG, IO_INPUT(loop), 0, 0 },
	{ "list", IO_FLAG, IO_INPUT(list), 0, 0 },
	{ 0 },
};

static const char *const idle_inputs[] = { "watchdog", "no_reload", NULL };

/* A service has no folder of its own to begin at. */
static int judge_path(const char *path, struct errmsg *why)
{
	if (path[0] != '/')
		return errmsg_fail(why, -EINVAL,
				   "path: does not begin with '/'");
	if (strrchr(path, '/')[1] == '\0')
		return errmsg_fail(why, -EINVAL, "path: is a folder");
	return 0;
}

static int read_input(const struct address *a, struct input_spec *spec,
		      struct errmsg *why)
{
	int r = io_copy_path(a->target, spec->path, why);

	return r < 0 ? r : judge_path(spec->path, why);
}

const struct input_type input_file_type = {
	.name = "file",
	.kind = INPUT_FILE,
	.read = read_input,
	.options = input_options,
	.idle = idle_inputs,
};

static const struct io_option output_options[] = {
	{ "m2ts", IO_FLAG, IO_OUTPUT(file.m2ts), 0, 0 },
	{ "rotate_time", IO_NUMBER, IO_OUTPUT(file.rotate_s), 1,
	  ROTATE_MAX_S },
	{ "rotate_size", IO_NUMBER, IO_OUTPUT(file.rotate_mib), 1,
	  ROTATE_MAX_MIB },
	{ "min_free", IO_NUMBER, IO_OUTPUT(file.min_free_mib), 0,
	  FREE_MAX_MIB },
	{ 0 },
};

/* What strftime(3) may put into a name: it cannot be a folder, nor long. */
static int judge_conversions(const char *path, struct errmsg *why)
{
	const char *name = strrchr(path, '/') + 1;

	for (const char *c = strchr(path, '%'); c != NULL;
	     c = strchr(c + 2, '%')) {
		if (c < name)
			return errmsg_fail(why, -EINVAL, "path: '%%' stands "
					   "in the name of a folder");
		if (c[1] == '\0' || strchr("YymdjHMSsF%", c[1]) == NULL)
			return errmsg_fail(why, -EINVAL, "path: '%%' has "
					   "behind it none of Y y m d j H M S "
					   "s F %%");
	}
	return 0;
}

static int read_output(const struct address *a, struct output_spec *spec,
		       struct errmsg *why)
{
	int r = io_copy_path(a->target, spec->path, why);

	if (r < 0)
		return r;
	spec->file.min_free_mib = FILE_MIN_FREE_DEFAULT_MIB;
	r = judge_path(spec->path, why);
	return r < 0 ? r : judge_conversions(spec->path, why);
}

const struct output_type output_file_type = {
	.name = "file",
	.kind = OUTPUT_FILE,
	.read = read_output,
	.options = output_options,
};

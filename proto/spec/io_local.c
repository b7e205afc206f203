/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types file, sdp, stream and dvb, whose addresses name a file, a stream or
 * an adapter of this machine. */
#include "proto/spec/io_type.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	ROTATE_MAX_S = 31 * 24 * 3600,
	ROTATE_MAX_MIB = 1024 * 1024,
	FREE_MAX_MIB = 1024 * 1024,
	MEDIA_MAX = 32,
};

/* --- file --- */

static const struct field file_input_rows[] = {
	{ "loop", IO_INPUT(loop),
	  .flags = FIELD_OBSERVER,
	  .help = "Begins the file again when it ends." },
	{ "list", IO_INPUT(list),
	  .flags = FIELD_OBSERVER,
	  .help = "The file is a list of the files to play." },
	IO_ROWS_WATCHDOG(0, FIELD_IDLE),
};
static const struct field_table file_input_fields =
	FIELD_TABLE(struct input_spec, file_input_rows);

/* Checks that a path is absolute: a service has no working folder that the user
 * knows. */
static int judge_path(const char *path, struct errmsg *error)
{
	if (path[0] != '/')
		return errmsg_fail(error, -EINVAL,
				   "path: does not begin with '/'");
	if (strrchr(path, '/')[1] == '\0')
		return errmsg_fail(error, -EINVAL, "path: is a folder");
	return 0;
}

static int read_file_input(const struct address *a, void *spec,
			   struct errmsg *error)
{
	struct input_spec *in = spec;
	int r = io_copy_path(a->target, in->path, error);

	return r < 0 ? r : judge_path(in->path, error);
}

const struct io_type input_file_type = {
	.name = "file",
	.target = "path",
	.kind = INPUT_FILE,
	.options = &file_input_fields,
	.read = read_file_input,
};

static const struct field file_output_rows[] = {
	{ "m2ts", IO_OUTPUT(file.m2ts), .flags = FIELD_OBSERVER,
	  .help = "Writes packets of 192 bytes with arrival times." },
	{ "rotate_time", IO_OUTPUT(file.rotate_s), .min = 1,
	  .max = ROTATE_MAX_S, .unit = "s",
	  .flags = FIELD_OBSERVER,
	  .help = "The next file begins at each multiple of it in UTC." },
	{ "rotate_size", IO_OUTPUT(file.rotate_mib), .min = 1,
	  .max = ROTATE_MAX_MIB, .unit = "MiB",
	  .flags = FIELD_OBSERVER,
	  .help = "Size after which the next file begins." },
	{ "min_free", IO_OUTPUT(file.min_free_mib), .max = FREE_MAX_MIB,
	  .initial = FILE_MIN_FREE_DEFAULT_MIB, .unit = "MiB",
	  .flags = FIELD_OBSERVER,
	  .help = "Free space of the disk below which recording stops." },
};
static const struct field_table file_output_fields =
	FIELD_TABLE(struct output_spec, file_output_rows);

static int read_file_output(const struct address *a, void *spec,
			    struct errmsg *error)
{
	struct output_spec *out = spec;
	int r = io_copy_path(a->target, out->path, error);
	const char *name;

	if (r == 0)
		r = judge_path(out->path, error);
	if (r < 0)
		return r;
	/* only the conversions of strftime(3) whose text has no '/' and is
	 * short, and only in the name of the file */
	name = strrchr(out->path, '/') + 1;
	for (const char *c = strchr(out->path, '%'); c != NULL;
	     c = strchr(c + 2, '%')) {
		if (c < name)
			return errmsg_fail(error, -EINVAL, "path: '%%' stands "
					   "in the name of a folder");
		if (c[1] == '\0' || strchr("YymdjHMSsF%", c[1]) == NULL)
			return errmsg_fail(error, -EINVAL, "path: '%%' has "
					   "behind it none of Y y m d j H M S "
					   "s F %%");
	}
	return 0;
}

const struct io_type output_file_type = {
	.name = "file",
	.target = "path",
	.kind = OUTPUT_FILE,
	.options = &file_output_fields,
	.read = read_file_output,
};

/* --- sdp: a session description in a file names a udp or rtp input --- */

static const struct field sdp_rows[] = {
	{ "iface", IO_INPUT(iface), .min = 1,
	  .flags = FIELD_OBSERVER,
	  .help = "Interface on which the group is joined." },
	{ "media", IO_INPUT(sdp_media), .min = 1, .max = MEDIA_MAX,
	  .flags = FIELD_OBSERVER,
	  .help = "Number of the media description, from 1." },
	IO_ROWS_SOCKET,
	IO_ROWS_RTP(NULL),
	IO_ROWS_WATCHDOG(WATCHDOG_DEFAULT_S, 0),
};
static const struct field_table sdp_fields = FIELD_TABLE(struct input_spec,
							 sdp_rows);

static int read_sdp(const struct address *a, void *spec, struct errmsg *error)
{
	if (a->target[0] != '/')
		return errmsg_fail(error, -EINVAL,
				   "path: does not begin with '/'");
	return io_copy_path(a->target, ((struct input_spec *)spec)->path,
			    error);
}

static int finish_sdp(const struct address *a, void *spec, struct errmsg *error)
{
	const struct input_spec *in = spec;

	(void)a;
	/* iface is inserted into the udp or rtp address that the description
	 * names, so it must have no special characters of addresses */
	if (strpbrk(in->iface, "/: \"[]@#&%") != NULL)
		return errmsg_fail(error, -EINVAL,
				   "iface: \"%s\" has a blank or one of "
				   "/ : \" [ ] @ # & %%",
				   in->iface);
	return 0;
}

const struct io_type input_sdp_type = {
	.name = "sdp",
	.target = "path",
	.kind = INPUT_SDP,
	.options = &sdp_fields,
	.read = read_sdp,
	.finish = finish_sdp,
};

/* --- stream: the output of another stream of this instance --- */

static const struct field stream_rows[] = {
	IO_ROWS_WATCHDOG(0, FIELD_IDLE),
};
static const struct field_table stream_fields =
	FIELD_TABLE(struct input_spec, stream_rows);

#define ID_BYTES \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* Reads the id of a stream or an adapter; prefix stands in front of the id in
 * in->stream. */
static int read_link(const struct address *a, const char *prefix,
		     struct input_spec *in, struct errmsg *error)
{
	size_t len = strlen(a->target);
	size_t most = io_is_feed(a->target) ? IO_FEED_MAX : IO_ID_MAX;

	if (len == 0)
		return errmsg_fail(error, -EINVAL, "%s: has no id", a->type);
	if (len > most)
		return errmsg_fail(error, -EINVAL,
				   "%s: an id has at most %d characters",
				   a->type, IO_ID_MAX);
	if (prefix[0] != '\0' && a->target[strspn(a->target, ID_BYTES)] != '\0')
		return errmsg_fail(error, -EINVAL,
				   "%s: an id has only A-Z a-z 0-9 _ . -",
				   a->type);
	(void)snprintf(in->stream, sizeof in->stream, "%s%s", prefix,
		       a->target);
	return 0;
}

static int read_stream(const struct address *a, void *spec,
		       struct errmsg *error)
{
	return read_link(a, "", spec, error);
}

const struct io_type input_stream_type = {
	.name = "stream",
	.target = "id",
	.kind = INPUT_STREAM,
	.options = &stream_fields,
	.read = read_stream,
};

/* --- dvb: the multiplex of an adapter --- */

static int read_dvb(const struct address *a, void *spec, struct errmsg *error)
{
	return read_link(a, IO_ADAPTER, spec, error);
}

const struct io_type input_dvb_type = {
	.name = "dvb",
	.target = "id",
	.kind = INPUT_DVB,
	.options = &stream_fields,
	.read = read_dvb,
};

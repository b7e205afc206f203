/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sdp:// in: a description in a file says which udp or rtp input it is. */
#include "proto/spec/io_type.h"

#include <errno.h>
#include <string.h>

enum { MEDIA_MAX = 32 };

static const struct io_option input_options[] = {
	{ "iface", IO_TEXT, IO_INPUT(iface), 1,
	  sizeof ((struct input_spec *)0)->iface - 1 },
	{ "media", IO_NUMBER, IO_INPUT(sdp_media), 1, MEDIA_MAX },
	IO_OPTIONS_SOCKET,
	IO_OPTIONS_RTP,
	{ 0 },
};

static int read_input(const struct address *a, struct input_spec *spec,
		      struct errmsg *why)
{
	spec->rtp.reorder_ms = RTP_REORDER_DEFAULT_MS;
	spec->rtp.skew_ms = RTP_SKEW_DEFAULT_MS;
	if (a->target[0] != '/')
		return errmsg_fail(why, -EINVAL,
				   "path: does not begin with '/'");
	return io_copy_path(a->target, spec->path, why);
}

static int judge_input(const struct input_spec *spec, struct errmsg *why)
{
	/* it becomes a part of an address */
	if (strpbrk(spec->iface, "/: \"[]@#&%") != NULL)
		return errmsg_fail(why, -EINVAL,
				   "iface: \"%s\" is not an interface",
				   spec->iface);
	return 0;
}

const struct input_type input_sdp_type = {
	.name = "sdp",
	.kind = INPUT_SDP,
	.read = read_input,
	.options = input_options,
	.watchdog_s = WATCHDOG_DEFAULT_S,
	.judge = judge_input,
};

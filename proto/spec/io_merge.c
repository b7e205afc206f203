/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A second address that brings the same: merge=rtp://239.1.1.2:5000. */
#include "common/base/alloc.h"
#include "proto/spec/io_type.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int judge(const struct input_spec *first,
		 const struct input_spec *second, struct errmsg *why)
{
	if (second->merge[0] != '\0')
		return errmsg_fail(why, -EINVAL, "cannot itself have merge");
	if (second->kind != first->kind)
		return errmsg_fail(why, -EINVAL,
				   "is not of the same type as the input");
	/* names may stand for several addresses */
	if (first->kind != INPUT_UDP && first->kind != INPUT_RTP)
		return 0;
	if (sockaddr_equal(&second->local, &first->local) &&
	    strcmp(second->iface, first->iface) == 0 &&
	    second->has_source == first->has_source &&
	    (!first->has_source ||
	     sockaddr_equal(&second->source, &first->source)))
		return errmsg_fail(why, -EINVAL, "is the input's own address");
	return 0;
}

int io_merge_read(const struct address *a, struct input_spec *ret,
		  struct errmsg *why)
{
	const char *value = address_option(a, "merge");
	char text[IO_INNER_MAX + 1];
	struct input_spec *second;
	int r;

	ret->merge_delay_ms = IO_MERGE_DELAY_DEFAULT_MS;
	if (value == NULL)
		return 0;
	second = xcalloc(1, sizeof *second);
	r = io_inner_read(value, text, second, why);
	if (r == 0)
		r = judge(ret, second, why);
	if (r < 0)
		errmsg_prefix(why, "merge: ");
	else
		memcpy(ret->merge, text, sizeof text);
	free(second);
	return r;
}

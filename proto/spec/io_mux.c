/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One PID of another stream: mux=udp://239.1.1.2:5000 & mux_pid=101, or
 * mux_pid=101:300 where it is to have another number. */
#include "common/base/alloc.h"
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PID_MIN = 0x20, PID_MAX = 0x1ffe };

static int read_pid(const char *text, size_t len, uint16_t *ret,
		    struct errmsg *why)
{
	unsigned pid;
	int r = option_number(text, len, PID_MIN, PID_MAX, &pid, why);

	if (r < 0)
		errmsg_prefix(why, "mux_pid: ");
	else
		*ret = (uint16_t)pid;
	return r;
}

static int read_pids(const char *value, struct input_spec *ret,
		     struct errmsg *why)
{
	const char *colon = strchr(value, ':');
	size_t len = colon != NULL ? (size_t)(colon - value) : strlen(value);
	int r = read_pid(value, len, &ret->mux_pid, why);

	if (r == 0 && colon != NULL)
		r = read_pid(colon + 1, strlen(colon + 1), &ret->mux_to, why);
	return r;
}

static int read_address(const char *value, struct input_spec *ret,
			struct errmsg *why)
{
	struct input_spec *other = xcalloc(1, sizeof *other);
	char text[IO_INNER_MAX + 1];
	int r = io_inner_read(value, text, other, why);

	if (r == 0 && other->kind != INPUT_UDP && other->kind != INPUT_RTP)
		r = errmsg_fail(why, -EINVAL, "is not udp:// or rtp://");
	if (r == 0 && other->mux[0] != '\0')
		r = errmsg_fail(why, -EINVAL, "cannot itself have mux");
	if (r < 0)
		errmsg_prefix(why, "mux: ");
	else
		memcpy(ret->mux, text, sizeof text);
	free(other);
	return r;
}

int io_mux_read(const struct address *a, struct input_spec *ret,
		struct errmsg *why)
{
	const char *address = address_option(a, "mux");
	const char *pid = address_option(a, "mux_pid");
	int r;

	if (address == NULL && pid == NULL)
		return 0;
	if (address == NULL || pid == NULL)
		return errmsg_fail(why, -EINVAL, "%s: is nothing without %s",
				   address != NULL ? "mux" : "mux_pid",
				   address != NULL ? "mux_pid" : "mux");
	r = read_pids(pid, ret, why);
	return r < 0 ? r : read_address(address, ret, why);
}

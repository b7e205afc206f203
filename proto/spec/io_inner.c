/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads options whose value is an address:
 * merge=rtp://239.1.1.2:5000, a second path of the same stream;
 * mux=udp://239.1.1.2:5000 and mux_pid=101, one PID of another stream;
 * mux_pid=101:300 gives this PID the number 300 in the output.
 */
#include "common/base/alloc.h"
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MUX_PID_MIN = 0x20, MUX_PID_MAX = 0x1ffe };

/* Reads the address in an option into ret, and writes it without its escapes
 * into ret_text.  The error does not begin with the key. */
static int read_inner(const char *value, char ret_text[IO_INNER_MAX + 1],
		      struct input_spec *ret, struct errmsg *error)
{
	size_t len = strlen(value);
	int r;

	if (len > IO_INNER_MAX)
		return errmsg_fail(error, -EINVAL, "is longer than %d bytes",
				   IO_INNER_MAX);
	if (strchr(value, '#') != NULL)
		return errmsg_fail(error, -EINVAL, "a '#' in it is written "
				   "%%23, and a '&' %%26");
	memcpy(ret_text, value, len + 1);
	if (!option_percent_decode(ret_text))
		return errmsg_fail(error, -EINVAL, "has a broken %% escape");
	r = input_spec_parse(ret_text, ret, NULL, NULL, error);
	return r == -ENOTSUP ? -EINVAL : r;
}

static int judge_merge(const struct input_spec *first,
		       const struct input_spec *second, struct errmsg *error)
{
	if (second->merge[0] != '\0')
		return errmsg_fail(error, -EINVAL, "cannot have a "
				   "merge of its own");
	if (second->kind != first->kind)
		return errmsg_fail(error, -EINVAL, "is not of the same type "
				   "as the input that it is merged with");
	/* types other than udp and rtp may have host names: two equal names can
	 * stand for different addresses */
	if (first->kind != INPUT_UDP && first->kind != INPUT_RTP)
		return 0;
	if (sockaddr_equal(&second->local, &first->local) &&
	    strcmp(second->iface, first->iface) == 0 &&
	    second->has_source == first->has_source &&
	    (!first->has_source ||
	     sockaddr_equal(&second->source, &first->source)))
		return errmsg_fail(error, -EINVAL,
				   "is the input's own address");
	return 0;
}

int io_merge_read(const struct address *a, struct input_spec *ret,
		  struct errmsg *error)
{
	const char *value = address_option(a, "merge");
	char text[IO_INNER_MAX + 1];
	struct input_spec *second;
	int r;

	if (value == NULL)
		return 0;
	second = xcalloc(1, sizeof *second);
	r = read_inner(value, text, second, error);
	if (r == 0)
		r = judge_merge(ret, second, error);
	if (r < 0)
		errmsg_prefix(error, "merge: ");
	else
		memcpy(ret->merge, text, sizeof text);
	free(second);
	return r;
}

static int read_pid(const char *text, size_t len, uint16_t *ret,
		    struct errmsg *error)
{
	unsigned pid;
	int r = option_number(text, len, MUX_PID_MIN, MUX_PID_MAX, &pid, error);

	if (r < 0)
		errmsg_prefix(error, "mux_pid: ");
	else
		*ret = (uint16_t)pid;
	return r;
}

static int read_address(const char *value, struct input_spec *ret,
			struct errmsg *error)
{
	struct input_spec *other = xcalloc(1, sizeof *other);
	char text[IO_INNER_MAX + 1];
	int r = read_inner(value, text, other, error);

	if (r == 0 && other->kind != INPUT_UDP && other->kind != INPUT_RTP)
		r = errmsg_fail(error, -EINVAL, "is not udp:// or rtp://");
	if (r == 0 && other->mux[0] != '\0')
		r = errmsg_fail(error, -EINVAL, "cannot have a mux "
				"of its own");
	if (r < 0)
		errmsg_prefix(error, "mux: ");
	else
		memcpy(ret->mux, text, sizeof text);
	free(other);
	return r;
}

int io_mux_read(const struct address *a, struct input_spec *ret,
		struct errmsg *error)
{
	const char *address = address_option(a, "mux");
	const char *pid = address_option(a, "mux_pid");
	const char *colon;
	int r;

	if (address == NULL && pid == NULL)
		return 0;
	if (address == NULL || pid == NULL)
		return errmsg_fail(error, -EINVAL, "%s: is nothing without %s",
				   address != NULL ? "mux" : "mux_pid",
				   address != NULL ? "mux_pid" : "mux");
	colon = strchrnul(pid, ':');
	r = read_pid(pid, (size_t)(colon - pid), &ret->mux_pid, error);
	if (r == 0 && *colon == ':')
		r = read_pid(colon + 1, strlen(colon + 1), &ret->mux_to, error);
	return r < 0 ? r : read_address(address, ret, error);
}

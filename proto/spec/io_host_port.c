/* SPDX-License-Identifier: GPL-3.0-or-later */
/* host:port, where the host may be a name, and an IPv6 address has brackets. */
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <string.h>

int io_host_port_read(const char *text, size_t len, struct io_host_port *ret,
		      struct errmsg *why)
{
	const char *colon = memrchr(text, ':', len);
	size_t host_len;
	unsigned port;

	if (colon == NULL)
		return errmsg_fail(why, -EINVAL, "port: is missing");
	host_len = (size_t)(colon - text);
	if (option_number(colon + 1, len - host_len - 1, 1, UINT16_MAX, &port,
			  why) < 0) {
		errmsg_prefix(why, "port: ");
		return -EINVAL;
	}
	if (host_len >= 2 && text[0] == '[' && colon[-1] == ']') {
		text++;
		host_len -= 2;
	}
	if (host_len >= ret->size)
		return errmsg_fail(why, -EINVAL,
				   "host: is longer than %zu bytes",
				   ret->size - 1);
	memcpy(ret->host, text, host_len);
	ret->host[host_len] = '\0';
	ret->port = (uint16_t)port;
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads control_port. */
#include "common/base/address.h"
#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "master/config/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int check_control_port(const char *text, struct sockaddr_any *ret,
		       struct errmsg *error)
{
	struct address_endpoint e;
	char with_host[32];
	int r;

	/* only digits: a port on all addresses */
	if (strspn(text, "0123456789") == strlen(text) && strlen(text) < 16) {
		(void)snprintf(with_host, sizeof with_host, "0.0.0.0:%s",
			       text);
		text = with_host;
	}
	if (strpbrk(text, ".:[@") == NULL)
		return errmsg_fail(error, -EINVAL, "\"%.64s\" is not a port "
				   "(1 to 65535)", text);
	r = address_endpoint(text, 0, &e, error);
	if (r < 0)
		return r;
	if (e.iface[0] != '\0' || e.host[0] == '\0' || e.port == 0)
		return errmsg_fail(error, -EINVAL,
				   "\"%.64s\" is not \"8000\" or "
				   "\"<address>:<port>\"", text);
	return sockaddr_parse(e.host, e.port, ret);
}

int check_control_port_value(const json_t *value, struct sockaddr_any *ret,
			     struct errmsg *error)
{
	long long n = (long long)json_integer_value(value);

	if (json_is_integer(value))
		return errmsg_fail(error, -EINVAL, "%lld is not a string: "
				   "write \"%lld\" or \"<address>:%lld\"", n, n,
				   n);
	if (!json_is_string(value))
		return errmsg_fail(error, -EINVAL, "is not a string");
	return check_control_port(json_string_value(value), ret, error);
}

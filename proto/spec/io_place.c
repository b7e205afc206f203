/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads parts of the targets of addresses: authority, host and port, path. */
#include "proto/spec/io_type.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <string.h>

int io_judge_authority(const char *target, struct errmsg *error)
{
	const char *end = target + strcspn(target, "/?");
	char port[8];
	uint64_t n;
	size_t len;
	const char *at = memrchr(target, '@', (size_t)(end - target));
	const char *host = at != NULL ? at + 1 : target;
	const char *colon;

	if (host == end || host[0] == ':')
		return errmsg_fail(error, -EINVAL, "host: is missing");
	if (host[0] == '[') {
		const char *bracket = memchr(host, ']', (size_t)(end - host));

		if (bracket == NULL)
			return errmsg_fail(error, -EINVAL,
					   "host: ']' is missing");
		host = bracket + 1;
	}
	colon = memchr(host, ':', (size_t)(end - host));
	if (colon == NULL)
		return 0;
	len = (size_t)(end - colon - 1);
	if (len == 0)
		return errmsg_fail(error, -EINVAL, "port: nothing follows ':'");
	if (len < sizeof port) {
		memcpy(port, colon + 1, len);
		port[len] = '\0';
		if (address_number("port", port, 1, UINT16_MAX, &n, NULL) == 0)
			return 0;
	}
	return errmsg_fail(error, -EINVAL, "port: %.*s is not a port (1 to "
			   "65535)",
			   (int)MIN(len, (size_t)64), colon + 1);
}

/* Reads "host:port".  The host may be a name; an IPv6 address has brackets. */
int io_host_port_read(const char *text, size_t len, struct io_host_port *ret,
		      struct errmsg *error)
{
	const char *colon = memrchr(text, ':', len);
	size_t host_len;
	unsigned port;

	if (colon == NULL)
		return errmsg_fail(error, -EINVAL, "port: is missing");
	host_len = (size_t)(colon - text);
	if (option_number(colon + 1, len - host_len - 1, 1, UINT16_MAX, &port,
			  error) < 0) {
		errmsg_prefix(error, "port: ");
		return -EINVAL;
	}
	if (host_len >= 2 && text[0] == '[' && colon[-1] == ']') {
		text++;
		host_len -= 2;
	}
	if (host_len >= ret->size)
		return errmsg_fail(error, -EINVAL,
				   "host: is longer than %zu bytes",
				   ret->size - 1);
	memcpy(ret->host, text, host_len);
	ret->host[host_len] = '\0';
	ret->port = (uint16_t)port;
	return 0;
}

int io_copy_path(const char *path, char *ret, struct errmsg *error)
{
	size_t len = strlen(path);

	if (len >= IO_PATH_MAX)
		return errmsg_fail(error, -EINVAL,
				   "path: is longer than %d bytes",
				   IO_PATH_MAX - 1);
	memcpy(ret, path, len + 1);
	return 0;
}

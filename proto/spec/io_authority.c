/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [login[:password]@]host[:port], in front of the path of an URL. */
#include "common/base/address.h"
#include "proto/spec/io_type.h"

#include <errno.h>
#include <string.h>

/* Behind the ':'. */
static int judge_port(const char *text, size_t len, struct errmsg *why)
{
	char port[8];
	uint64_t n;

	if (len == 0)
		return errmsg_fail(why, -EINVAL, "port: nothing follows ':'");
	if (len < sizeof port) {
		memcpy(port, text, len);
		port[len] = '\0';
		if (address_number("port", port, 1, UINT16_MAX, &n, NULL) == 0)
			return 0;
	}
	return errmsg_fail(why, -EINVAL, "port: %.*s is not a port",
			   (int)MIN(len, (size_t)64), text);
}

int io_judge_authority(const char *target, struct errmsg *why)
{
	const char *end = target + strcspn(target, "/?");
	const char *at = memrchr(target, '@', (size_t)(end - target));
	const char *host = at != NULL ? at + 1 : target;
	const char *colon;

	if (host == end || host[0] == ':')
		return errmsg_fail(why, -EINVAL, "host: is missing");
	if (host[0] == '[') {
		const char *bracket = memchr(host, ']', (size_t)(end - host));

		if (bracket == NULL)
			return errmsg_fail(why, -EINVAL,
					   "host: ']' is missing");
		host = bracket + 1;
	}
	colon = memchr(host, ':', (size_t)(end - host));
	if (colon == NULL)
		return 0;
	return judge_port(colon + 1, (size_t)(end - colon - 1), why);
}

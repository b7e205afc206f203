/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/deliver/scheme_location.h"

#include "common/base/alloc.h"
#include "common/base/buf.h"

#include <ctype.h>
#include <string.h>

enum { HOST_MAX = 255 + sizeof ":65535" - 1 };

/* True if the text can be a name or an address, perhaps with a port. */
static bool is_host(const char *host)
{
	size_t n = strspn(host, "abcdefghijklmnopqrstuvwxyz"
			  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]");

	return n > 0 && n <= HOST_MAX && host[n] == '\0';
}

char *scheme_location(bool tls, const char *host, const char *path,
		      const char *query)
{
	struct buf out = { 0 };
	char *location;

	if (host == NULL || !is_host(host))
		return NULL;
	buf_printf(&out, "%s://%s", tls ? "https" : "http", host);
	for (; *path != '\0'; path++) {
		unsigned char c = (unsigned char)*path;

		if (isalnum(c) || strchr("-._~/", c) != NULL)
			buf_append(&out, path, 1);
		else
			buf_printf(&out, "%%%02X", c);
	}
	buf_printf(&out, "%s%s", query[0] != '\0' ? "?" : "", query);
	buf_append(&out, "", 1);
	location = xstrdup((const char *)buf_head(&out));
	buf_done(&out);
	return location;
}

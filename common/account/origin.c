/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/origin.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* long_ is short_ with the port that the other leaves out. */
static bool is_with_port(const char *long_, const char *short_,
			 const char *port)
{
	size_t len = strlen(short_);

	return strncasecmp(long_, short_, len) == 0 &&
	       strcmp(long_ + len, port) == 0;
}

/* Does the URL origin name this host, with or without the default port? */
static bool is_same(const char *origin, const char *host)
{
	const char *name, *port;

	if (strncasecmp(origin, "http://", 7) == 0) {
		name = origin + 7;
		port = ":80";
	} else if (strncasecmp(origin, "https://", 8) == 0) {
		name = origin + 8;
		port = ":443";
	} else {
		return false;
	}
	return *name != '\0' && (strcasecmp(name, host) == 0 ||
				 is_with_port(host, name, port) ||
				 is_with_port(name, host, port));
}

bool origin_is_foreign(const struct origin *o)
{
	if (o->fetch_site != NULL)
		return strcmp(o->fetch_site, "same-origin") != 0 &&
		       strcmp(o->fetch_site, "none") != 0;
	if (o->origin != NULL)
		return o->host == NULL || !is_same(o->origin, o->host);
	return false;
}

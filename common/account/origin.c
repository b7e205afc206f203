/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/account/origin.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Is long_ equal to short_ with the port that short_ leaves out? */
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

bool origin_is_valid(const char *text)
{
	static const char host[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";
	bool secure = strncmp(text, "https://", 8) == 0;
	size_t len, digits;

	if (!secure && strncmp(text, "http://", 7) != 0)
		return false;
	text += secure ? 8 : 7;
	if (*text == '[') {
		len = 1 + strspn(text + 1, "0123456789abcdef:.");
		if (text[len] != ']')
			return false;
		len++;
	} else {
		len = strspn(text, host);
	}
	text += len;
	if (len == 0 || *text == '\0')
		return len > 0;
	digits = strspn(text + 1, "0123456789");
	return *text == ':' && digits > 0 && digits <= 5 &&
	       text[1] != '0' && text[1 + digits] == '\0' &&
	       strcmp(text, secure ? ":443" : ":80") != 0;
}

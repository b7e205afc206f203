/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/scan/server_url.h"

#include "common/base/ip_prefix.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { HTTP_PORT = 80, FREE_PORTS = 1024 };

static bool read_path(struct slice text, char path[SERVER_PATH_MAX])
{
	const char *fragment = text.len > 0 ? memchr(text.at, '#', text.len)
					    : NULL;

	if (fragment != NULL)
		text.len = (size_t)(fragment - text.at);
	path[0] = '/';
	path[1] = '\0';
	if (text.len == 0)
		return true;
	/* a "?query" without a path gets the path "/" */
	return memchr(text.at, ' ', text.len) == NULL &&
	       (text.at[0] == '/' ? slice_copy(text, path, SERVER_PATH_MAX)
				  : slice_copy(text, path + 1,
					       SERVER_PATH_MAX - 1));
}

/* Splits HOST:PORT; false: there is no port.  The name keeps the brackets of an
 * IPv6 address. */
static bool split_port(struct slice authority, struct slice *name,
		       struct slice *port)
{
	const char *end = slice_begins(authority, "[")
				  ? memchr(authority.at, ']', authority.len)
				  : NULL;
	struct slice rest = authority, none;

	if (end == NULL)
		return slice_split(authority, ':', name, port);
	*name = authority;
	rest.at = end + 1;
	rest.len -= (size_t)(rest.at - authority.at);
	/* other bytes behind the bracket are kept in the name, so that it does
	 * not match */
	if (rest.len > 0 && !slice_begins(rest, ":"))
		return false;
	name->len -= rest.len;
	return slice_split(rest, ':', &none, port);
}

/* Reads an address in brackets, "[2001:db8::1]"; false: it is not one. */
static bool read_v6(const char *text, struct ip_address *ret)
{
	char inside[SERVER_HOST_MAX];
	size_t len = strlen(text);

	if (len < 2 || text[0] != '[' || text[len - 1] != ']')
		return false;
	(void)snprintf(inside, sizeof inside, "%.*s", (int)len - 2, text + 1);
	return ip_parse(inside, ret) == 0;
}

/* Is the name equal to this host?  An IPv6 address can be written in several
 * ways. */
static bool is_host(struct slice name, const char *host)
{
	struct ip_address theirs, ours;
	char text[SERVER_HOST_MAX];

	if (slice_is(name, host))
		return true;
	return slice_copy(name, text, sizeof text) && read_v6(text, &theirs) &&
	       read_v6(host, &ours) &&
	       memcmp(&theirs, &ours, sizeof ours) == 0;
}

int server_url_parse(struct slice text, const char *host,
		     struct server_url *ret, struct errmsg *error)
{
	static const char scheme[] = "http://";
	struct server_url url = { 0 };
	struct slice authority, name, number;
	uint32_t port = HTTP_PORT;
	bool has_port;

	if (!slice_begins(text, scheme))
		return errmsg_fail(error, -EINVAL, "is not an http URL");
	text.at += sizeof scheme - 1;
	text.len -= sizeof scheme - 1;
	/* host and port end in front of one of these bytes */
	authority = (struct slice){ text.at, 0 };
	while (authority.len < text.len &&
	       memchr("/?#", text.at[authority.len], 3) == NULL)
		authority.len++;
	text.at += authority.len;
	text.len -= authority.len;
	has_port = split_port(authority, &name, &number);
	if (!is_host(name, host))
		return errmsg_fail(error, -EINVAL, "leads to another host than "
				   "%.64s", host);
	if (has_port && !slice_number(number, UINT16_MAX, &port))
		return errmsg_fail(error, -EINVAL, "has a port that is not a "
				   "number");
	if (port != HTTP_PORT && port < FREE_PORTS)
		return errmsg_fail(error, -EINVAL, "leads to port %u: only %d "
				   "and those from %d on are allowed", port,
				   HTTP_PORT, FREE_PORTS);
	if (!read_path(text, url.path))
		return errmsg_fail(error, -EINVAL, "has a path that is longer "
				   "than %d bytes or no plain text",
				   SERVER_PATH_MAX - 1);
	url.port = (uint16_t)port;
	*ret = url;
	return 0;
}

void server_url_host(const struct sockaddr_any *address,
		     char host[SERVER_HOST_MAX])
{
	struct ip_address ip = ip_of(address);
	char text[IP_TEXT_MAX];

	ip_format(&ip, text);
	(void)snprintf(host, SERVER_HOST_MAX, ip_is_v4(&ip) ? "%s" : "[%.45s]",
		       text);
}

void server_url_format(const struct server_url *url, const char *host,
		       char *text)
{
	(void)snprintf(text, SERVER_URL_MAX, "http://%s:%u%s", host,
		       (unsigned)url->port, url->path);
}

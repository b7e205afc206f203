/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "worker/sdp/sdp_field.h"

#include "common/base/utf8.h"
#include "proto/spec/option_value.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { TTL_MAX = 255, ADDRESSES_MAX = 65535 };

char *sdp_word(char **rest)
{
	char *word;

	do
		word = strsep(rest, " \t");
	while (word != NULL && *word == '\0');
	return word;
}

int sdp_read_token(const char *value, char ret[SDP_TOKEN_MAX + 1],
		   struct errmsg *error)
{
	size_t len = strlen(value);

	if (len == 0)
		return errmsg_fail(error, -EINVAL, "a word is missing");
	if (len > SDP_TOKEN_MAX)
		return errmsg_fail(error, -EINVAL,
				   "a word is longer than %d bytes",
				   SDP_TOKEN_MAX);
	for (size_t i = 0; i < len; i++)
		if (value[i] <= ' ' || value[i] >= 127)
			return errmsg_fail(error, -EINVAL, "a word has a byte "
					   "that is no letter of ASCII");
	memcpy(ret, value, len + 1);
	return 0;
}

static int read_number(const char *text, unsigned max, unsigned *ret,
		       struct errmsg *error)
{
	int r = option_number(text, strlen(text), 0, max, ret, NULL);

	/* The error does not quote the text, because it comes from the
	 * network. */
	return r < 0 ? errmsg_fail(error, r, "is not a number from 0 to "
				       "%u", max)
		     : 0;
}

/* Reads the value of o=: <user> <id> <version> <nettype> <addrtype>
 * <address>. */
int sdp_read_origin(char *value, char ret[SDP_ORIGIN_MAX + 1],
		    struct errmsg *error)
{
	char *words[6], *rest = value;
	size_t n = 0;
	int len;

	for (char *w; (w = sdp_word(&rest)) != NULL; n++)
		if (n < ARRAY_LEN(words))
			words[n] = w;
	if (n != ARRAY_LEN(words))
		return errmsg_fail(error, -EINVAL, "has %zu words instead of "
				   "%zu", n, ARRAY_LEN(words));
	len = snprintf(ret, SDP_ORIGIN_MAX + 1, "%s %s %s %s %s", words[0],
		       words[1], words[3], words[4], words[5]);
	return len <= SDP_ORIGIN_MAX ? 0
				     : errmsg_fail(error, -EINVAL, "is longer "
						   "than %d bytes",
						   SDP_ORIGIN_MAX);
}

/* Does the character affect a terminal or a web page: control characters, line
 * separators and marks of direction? */
static bool is_control(uint32_t c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) || c == 0x61c ||
	       (c >= 0x200e && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

void sdp_name(const char *value, char ret[SDP_NAME_MAX + 1])
{
	size_t len = strlen(value), n = 0;
	char bytes[UTF8_MAX];
	uint32_t c;

	while (len > 0) {
		size_t took = utf8_get(value, len, &c);
		size_t size = utf8_put(is_control(c) ? ' ' : c, bytes);

		if (n + size > SDP_NAME_MAX)
			break;
		memcpy(ret + n, bytes, size);
		n += size;
		value += took;
		len -= took;
	}
	while (n > 0 && ret[n - 1] == ' ')
		n--;
	/* RFC 8866 5.3: "-" stands for an empty name */
	if (n == 1 && ret[0] == '-')
		n = 0;
	ret[n] = '\0';
}

/* Reads "IN IP4" or "IN IP6"; with `any' also "IN *" for any family, and
 * *ret_family is 0. */
static int read_family(char **rest, bool any, int *ret_family,
		       struct errmsg *error)
{
	const char *net = sdp_word(rest), *family = sdp_word(rest);

	if (net == NULL || family == NULL)
		return errmsg_fail(error, -EINVAL, "has no type of address");
	if (strcasecmp(net, "IN") != 0)
		return errmsg_fail(error, -EINVAL, "is not of the type of "
				   "network IN");
	if (strcasecmp(family, "IP4") == 0)
		*ret_family = AF_INET;
	else if (strcasecmp(family, "IP6") == 0)
		*ret_family = AF_INET6;
	else if (any && strcmp(family, "*") == 0)
		*ret_family = 0;
	else
		return errmsg_fail(error, -EINVAL, "is of neither IP4 nor IP6");
	return 0;
}

/* Reads a numeric address of this family; family 0: of any family. */
static int read_address(const char *text, int family, struct sockaddr_any *ret,
			struct errmsg *error)
{
	struct sockaddr_any a;

	if (text == NULL)
		return errmsg_fail(error, -EINVAL, "has no address");
	if (sockaddr_parse(text, 0, &a) < 0)
		return errmsg_fail(error, -EINVAL, "has no numeric address; "
				   "names are not resolved");
	if (family != 0 && a.sa.sa_family != family)
		return errmsg_fail(error, -EINVAL, "has an address that is "
				   "not IP%d", family == AF_INET ? 4 : 6);
	*ret = a;
	return 0;
}

/* Reads what follows the address: /TTL and /COUNT of IPv4, /COUNT of IPv6. */
static int read_reach(char *rest, struct sdp_connection *ret,
		      struct errmsg *error)
{
	bool v4 = ret->address.sa.sa_family == AF_INET;
	const char *ttl = v4 ? strsep(&rest, "/") : NULL;
	const char *count = strsep(&rest, "/");
	int r = 0;

	ret->addresses = 1;
	if (rest != NULL)
		return errmsg_fail(error, -EINVAL, "has too many '/'");
	if (ttl != NULL)
		r = read_number(ttl, TTL_MAX, &ret->ttl, error);
	if (r == 0 && count != NULL)
		r = read_number(count, ADDRESSES_MAX, &ret->addresses, error);
	return r;
}

int sdp_read_connection(char *value, struct sdp_connection *ret,
			struct errmsg *error)
{
	struct sdp_connection c = { .n = 1 };
	char *rest = value, *reach;
	int family, r = read_family(&rest, false, &family, error);

	if (r < 0)
		return r;
	reach = sdp_word(&rest);
	r = read_address(strsep(&reach, "/"), family, &c.address, error);
	if (r == 0)
		r = read_reach(reach, &c, error);
	if (r < 0)
		return r;
	if (sdp_word(&rest) != NULL)
		return errmsg_fail(error, -EINVAL, "has too many words");
	if (ret->n > 0)
		ret->n++; /* RFC 8866 5.7: further c= lines are layers */
	else
		*ret = c;
	return 0;
}

/* Reads a port: <port>[/<number of ports>]. */
static int read_port(char *text, uint16_t *ret, struct errmsg *error)
{
	const char *port = strsep(&text, "/");
	unsigned number, count;
	int r = read_number(port, UINT16_MAX, &number, error);

	if (r == 0 && text != NULL)
		r = read_number(text, UINT16_MAX, &count, error);
	if (r < 0)
		errmsg_prefix(error, "port: ");
	else
		*ret = (uint16_t)number;
	return r;
}

/* Reads the value of m=: <type> <port> <proto> <format> ... */
int sdp_read_media(char *value, struct sdp_media *ret, struct errmsg *error)
{
	char *rest = value;
	const char *type = sdp_word(&rest);
	char *port = sdp_word(&rest);
	const char *proto = sdp_word(&rest);
	int r;

	if (proto == NULL)
		return errmsg_fail(error, -EINVAL, "is not a type, a port and "
				   "a protocol");
	r = sdp_read_token(type, ret->type, error);
	if (r == 0)
		r = read_port(port, &ret->port, error);
	if (r == 0)
		r = sdp_read_token(proto, ret->proto, error);
	/* formats after the first SDP_FORMATS_MAX are ignored */
	for (const char *w; r == 0 && ret->n_formats < SDP_FORMATS_MAX &&
	     (w = sdp_word(&rest)) != NULL; ret->n_formats++)
		r = sdp_read_token(w, ret->formats[ret->n_formats].name, error);
	if (r == 0 && ret->n_formats == 0)
		r = errmsg_fail(error, -EINVAL, "has no format");
	return r;
}

/* Reads the value of a=rtpmap: <payload type> <encoding>/<clock>[/...]. */
int sdp_read_rtpmap(char *value, struct sdp_media *ret, struct errmsg *error)
{
	char *rest = value;
	const char *format = sdp_word(&rest);
	char *map = sdp_word(&rest);

	if (map == NULL)
		return errmsg_fail(error, -EINVAL, "has no payload type and "
				   "encoding");
	map = strsep(&map, "/");
	for (unsigned i = 0; i < ret->n_formats; i++)
		if (strcmp(ret->formats[i].name, format) == 0)
			return sdp_read_token(map, ret->formats[i].encoding,
					      error);
	return 0;
}

/* Reads the value of a=source-filter: incl|excl <nettype> <addrtype>
 * <destination> <source> ... */
int sdp_read_filter(char *value, struct sdp_filters *ret, struct errmsg *error)
{
	struct sdp_filter f = { 0 };
	char *rest = value;
	const char *mode = sdp_word(&rest), *to;
	int family, r;

	if (mode == NULL || (strcasecmp(mode, "incl") != 0 &&
			     strcasecmp(mode, "excl") != 0))
		return errmsg_fail(error, -EINVAL,
				   "is neither incl nor excl");
	f.excludes = strcasecmp(mode, "excl") == 0;
	r = read_family(&rest, true, &family, error);
	if (r < 0)
		return r;
	to = sdp_word(&rest);
	if (to == NULL || strcmp(to, "*") != 0)
		r = read_address(to, family, &f.destination, error);
	for (const char *w; r == 0 && f.n_sources < SDP_SOURCES_MAX &&
	     (w = sdp_word(&rest)) != NULL; f.n_sources++)
		r = read_address(w, family, &f.sources[f.n_sources], error);
	if (r == 0 && f.n_sources == 0)
		r = errmsg_fail(error, -EINVAL, "has no source");
	if (r == 0 && ret->n == SDP_FILTERS_MAX)
		r = errmsg_fail(error, -EINVAL, "occurs more than %d times",
				SDP_FILTERS_MAX);
	if (r == 0)
		ret->list[ret->n++] = f;
	return r;
}

/* Reads the value of a=group: <semantics> <mid> ... */
int sdp_read_group(char *value, struct sdp_group *ret, struct errmsg *error)
{
	struct sdp_group g = { 0 };
	char *rest = value;
	const char *word = sdp_word(&rest);
	int r = sdp_read_token(word != NULL ? word : "", g.semantics, error);

	while (r == 0 && g.n_members < SDP_MEMBERS_MAX &&
	       (word = sdp_word(&rest)) != NULL)
		r = sdp_read_token(word, g.members[g.n_members++], error);
	if (r == 0)
		*ret = g;
	return r;
}

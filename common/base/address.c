/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/base/address.h"

#include "common/base/alloc.h"
#include "common/base/sockaddr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An error sentence quotes at most this much text from outside. */
#define SHOWN "%.64s"

static int split_options(char *rest, struct address *a, struct errmsg *error)
{
	while (rest != NULL) {
		char *piece = rest;
		char *end = strchr(piece, '&');
		char *value;

		rest = end != NULL ? end + 1 : NULL;
		if (end != NULL)
			*end = '\0';
		value = strchr(piece, '=');
		if (value != NULL)
			*value++ = '\0';
		if (*piece == '\0')
			return errmsg_fail(error, -EINVAL,
					   "option %zu has no name",
					   a->n_options + 1);
		if (a->n_options == ADDRESS_OPTIONS_MAX)
			return errmsg_fail(error, -EINVAL,
					   "has more than %d options",
					   ADDRESS_OPTIONS_MAX);
		a->options[a->n_options++] =
			(struct address_option){ piece, value };
	}
	return 0;
}

static int split_text(struct address *a, struct errmsg *error)
{
	static const char type_bytes[] = "abcdefghijklmnopqrstuvwxyz"
					 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					 "0123456789_-+.";
	char *end = a->text + strspn(a->text, type_bytes);
	char *target = end + 3, *options;

	if (end == a->text || strncmp(end, "://", 3) != 0)
		return errmsg_fail(error, -EINVAL,
				   "\"" SHOWN "\" is not type://target",
				   a->text);
	*end = '\0';
	for (char *c = a->text; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	a->type = a->text;
	a->target = target;
	options = strchr(target, '#');
	if (options != NULL)
		*options++ = '\0';
	if (*target == '\0')
		return errmsg_fail(error, -EINVAL, "nothing follows " SHOWN
				   "://", a->type);
	/* a bare '#' at the end starts an empty list */
	if (options != NULL && *options == '\0')
		options = NULL;
	return split_options(options, a, error);
}

int address_parse(const char *text, struct address *ret, struct errmsg *error)
{
	size_t len = strnlen(text, ADDRESS_TEXT_MAX + 1);
	struct address a = { 0 };
	int r;

	if (len == 0)
		return errmsg_fail(error, -EINVAL, "is empty");
	if (len > ADDRESS_TEXT_MAX)
		return errmsg_fail(error, -EINVAL,
				   "is longer than %d bytes",
				   ADDRESS_TEXT_MAX);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return errmsg_fail(error, -EINVAL,
					   "has a control byte at %zu", i);
	a.text = xstrdup(text);
	r = split_text(&a, error);
	if (r < 0) {
		address_done(&a);
		return r;
	}
	*ret = a;
	return 0;
}

void address_done(struct address *a)
{
	free(a->text);
	*a = (struct address){ 0 };
}

const char *address_option(const struct address *a, const char *key)
{
	for (size_t i = a->n_options; i > 0; i--) {
		const struct address_option *o = &a->options[i - 1];

		if (strcmp(o->key, key) == 0)
			return o->value != NULL ? o->value : "";
	}
	return NULL;
}

int address_number(const char *key, const char *value, uint64_t min,
		   uint64_t max, uint64_t *ret, struct errmsg *error)
{
	bool fits = value[0] != '-';
	const char *start = value + (fits ? 0 : 1);
	const char *c = start;
	uint64_t n = 0;

	for (; *c >= '0' && *c <= '9'; c++) {
		uint64_t digit = (uint64_t)(*c - '0');

		fits = fits && n <= (UINT64_MAX - digit) / 10;
		n = n * 10 + digit;
	}
	if (c == start || *c != '\0')
		return errmsg_fail(error, -EINVAL,
				   "%s: \"" SHOWN "\" is not a number", key,
				   value);
	if (!fits || n < min || n > max)
		return errmsg_fail(error, -EINVAL,
				   "%s: %.20s is not between %" PRIu64
				   " and %" PRIu64, key, value, min, max);
	*ret = n;
	return 0;
}

int address_iface(const char *text, size_t len, char ret[IFACE_NAME_MAX],
		  struct errmsg *error)
{
	char name[IFACE_NAME_MAX] = "";

	if (len >= sizeof name)
		return errmsg_fail(error, -EINVAL,
				   "interface: \"%.*s\" is longer than %zu "
				   "bytes", (int)MIN(len, 64), text,
				   sizeof name - 1);
	memcpy(name, text, len);
	if (strpbrk(name, "/: \"[]") != NULL || strcmp(name, ".") == 0 ||
	    strcmp(name, "..") == 0)
		return errmsg_fail(error, -EINVAL,
				   "interface: \"%s\" is not a name", name);
	memcpy(ret, name, sizeof name);
	return 0;
}

/* Reads the host, if there is one, and moves *text behind it.  0, or -EINVAL
 * with error: it is no IP address, or its brackets are wrong. */
static int take_host(const char **text, struct address_endpoint *e,
		     struct errmsg *error)
{
	bool bracket = **text == '[';
	const char *start = *text + (bracket ? 1 : 0);
	size_t len = strcspn(start, bracket ? "]" : ":");
	const char *end = start + len;
	struct sockaddr_any any;

	if (bracket && *end != ']')
		return errmsg_fail(error, -EINVAL, "host: ']' is missing");
	if (!bracket && *end == ':' && strchr(end + 1, ':') != NULL)
		return errmsg_fail(error, -EINVAL,
				   "host: \"" SHOWN "\": an IPv6 address "
				   "needs brackets", start);
	if (len >= sizeof e->host)
		return errmsg_fail(error, -EINVAL,
				   "host: is longer than %zu bytes",
				   sizeof e->host - 1);
	memcpy(e->host, start, len);
	if ((bracket || len > 0) &&
	    (sockaddr_parse(e->host, 0, &any) < 0 ||
	     bracket != (any.sa.sa_family == AF_INET6)))
		return errmsg_fail(error, -EINVAL,
				   "host: \"%s\" is not an IP%s address",
				   e->host, bracket ? "v6" : "");
	*text = end + (bracket ? 1 : 0);
	return 0;
}

int address_endpoint(const char *text, uint16_t default_port,
		     struct address_endpoint *ret, struct errmsg *error)
{
	struct address_endpoint e = { 0 };
	const char *at = strchr(text, '@');
	uint64_t port = default_port;
	int r = 0;

	/* an empty interface ("@239.1.1.1") means none */
	if (at != NULL) {
		r = address_iface(text, (size_t)(at - text), e.iface, error);
		text = at + 1;
	}
	if (r == 0)
		r = take_host(&text, &e, error);
	if (r < 0)
		return r;
	if (*text != ':' && *text != '\0')
		return errmsg_fail(error, -EINVAL,
				   "host: \"" SHOWN "\" follows the address",
				   text);
	if (strcmp(text, ":") == 0)
		return errmsg_fail(error, -EINVAL, "port: nothing follows ':'");
	if (*text == ':' &&
	    address_number("port", text + 1, 1, UINT16_MAX, &port, NULL) < 0)
		return errmsg_fail(error, -EINVAL,
				   "port: " SHOWN " is not a port (1 to 65535)",
				   text + 1);
	e.port = (uint16_t)port;
	*ret = e;
	return 0;
}

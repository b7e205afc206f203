/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Splits an input or output address into its parts:
 *
 *	type://target#option&option=value&group.key=value
 *
 * The first '#' starts the options, '&' separates them; an option without '='
 * is true.  The target keeps its own '?query'.  This module splits text only;
 * proto/spec/io_spec knows the types and their options.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/iface.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ADDRESS_TEXT_MAX = 1024,
	ADDRESS_OPTIONS_MAX = 64,
};

struct address_option {
	const char *key;   /* at least one character */
	const char *value; /* NULL if the option has no '=' */
};

/* Owns its text; free with address_done(). */
struct address {
	char *text;       /* storage of all strings below */
	const char *type; /* such as "udp", in lower case */
	const char *target;
	struct address_option options[ADDRESS_OPTIONS_MAX];
	size_t n_options;
};

/* Splits text. 0, or -EINVAL with error: no type, empty target, too long,
 * control bytes, more than ADDRESS_OPTIONS_MAX options, an option with an empty
 * key. */
int address_parse(const char *text, struct address *ret,
		  struct errmsg *error) MUST_CHECK;
void address_done(struct address *);

/* The last value of key: "" for an option without '=', NULL if absent. */
const char *address_option(const struct address *, const char *key);

/* An address of IP types: [iface@]host[:port].  iface is "" if absent; host is
 * an IP literal without brackets, or "" if absent
 * (":1234").  address_endpoint() returns 0, or -EINVAL with error ("port: 70000
 * is not a port"). */
struct address_endpoint {
	char iface[IFACE_NAME_MAX];
	char host[64];
	uint16_t port; /* default_port if the text has none */
};
int address_endpoint(const char *text, uint16_t default_port,
		     struct address_endpoint *ret,
		     struct errmsg *error) MUST_CHECK;

/* Checks and copies the name or address of an interface; an empty text means
 * none.  0, or -EINVAL with error ("interface: \"a/b\" is not a name"). */
int address_iface(const char *text, size_t len, char ret[IFACE_NAME_MAX],
		  struct errmsg *error) MUST_CHECK;

/* Reads a number of decimal digits only, from min to max; key is for the error.
 * 0 or -EINVAL. */
int address_number(const char *key, const char *value, uint64_t min,
		   uint64_t max, uint64_t *ret,
		   struct errmsg *error) MUST_CHECK;

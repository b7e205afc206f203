/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Address, login and trust of the service: from the command line, the
 * environment and the settings file, in this order.
 *
 * The file has lines "key = value".  Lines behind "[name]" apply if --host is
 * that name.  Keys: url, user, cacert, insecure, timeout.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/ctl_options.h"

#include <stdbool.h>

/* Owns its text. */
struct settings {
	char *url;    /* "https://host:8000/prefix", no slash at the end */
	char *user;   /* NULL: the last login */
	char *cacert; /* NULL: the authorities of the system */
	bool insecure;
	unsigned timeout_s;
};

/* Reads the settings of command line, environment and file, with defaults.  0,
 * or -errno with error. */
int settings_load(const struct options *, struct settings *ret,
		  struct errmsg *error) MUST_CHECK;
void settings_done(struct settings *);

/* Parses the text of a settings file: the lines before the first name, then
 * those of name (may be NULL), which take precedence.  *found (may be NULL) is
 * true if the name exists.  Sets only the members that the text has.  0 or
 * -EINVAL with error. */
int settings_parse(const char *text, const char *name, struct settings *ret,
		   bool *found, struct errmsg *error) MUST_CHECK;

/*
 * "host", "host:port", "[::1]:8000" or an http:// or https:// address to the
 * form of settings.url.  Without a scheme it is http and port 8000.  NULL with
 * error: no address, another scheme, or a user, password, query or fragment.
 * The caller frees it.
 */
char *settings_url(const char *text, struct errmsg *error);

/* Is the connection private: https, or to this machine? */
bool settings_is_private(const char *url);

/* $variable/sluicectl, else ~/fallback/sluicectl; the caller frees it.  NULL
 * if HOME is not set. */
char *settings_folder(const char *variable, const char *fallback);

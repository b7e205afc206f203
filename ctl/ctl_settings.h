/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the address of the service, the login and the trusted certificates from
 * the command line, the environment (only the address) and the settings file;
 * the first of these that has a value counts.
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
	char *user;   /* NULL: the last login at this service */
	char *cacert; /* file of the trusted certificates; NULL: those of the
		       * system */
	bool insecure; /* accept any certificate */
	unsigned timeout_s; /* longest time for a reply */
};

/* Reads the settings of command line, environment and file, with defaults.  0,
 * or -errno with error. */
int settings_load(const struct options *, struct settings *ret,
		  struct errmsg *error) MUST_CHECK;
void settings_done(struct settings *);

/* Parses the text of a settings file.  Takes the lines in front of the first
 * "[name]", and those behind the "[name]" that `name' (may be NULL) selects,
 * which take precedence.  *found (may be NULL) is true if the text has this
 * name.  Sets only the members that the text has.  0 or -EINVAL with error. */
int settings_parse(const char *text, const char *name, struct settings *ret,
		   bool *found, struct errmsg *error) MUST_CHECK;

/*
 * Converts "host", "host:port", "[::1]:8000" or an http:// or https:// address
 * to the form of settings.url, which the caller frees.  Without a scheme the
 * default is http and port 8000.  NULL with error: the text is no address, has
 * another scheme, or has a user, password, query or fragment.
 */
char *settings_url(const char *text, struct errmsg *error);

/* Can other machines not read the connection, because it is https or to this
 * machine? */
bool settings_is_private(const char *url);

/* Returns $variable/sluicectl; if the variable is not set to an absolute path,
 * ~/fallback/sluicectl.  The caller frees it.  NULL: HOME is not set either. */
char *settings_folder(const char *variable, const char *fallback);

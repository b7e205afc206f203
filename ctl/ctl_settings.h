/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which service is meant, who asks, and how it is trusted: from the command
 * line, the environment and the file of settings, in this order.
 *
 * The file has lines of "key = value"; those behind a line "[name]" count when
 * --host says this name.  Keys: url, user, cacert, insecure, timeout.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/ctl_options.h"

#include <stdbool.h>

/* Owns its text. */
struct settings {
	char *url;    /* "https://host:8000/prefix", no slash at the end */
	char *user;   /* NULL: the login that was used last */
	char *cacert; /* NULL: the system's authorities */
	bool insecure;
	unsigned timeout_s;
};

/* 0, or -errno with why. */
int settings_load(const struct options *, struct settings *ret,
		  struct errmsg *why) MUST_CHECK;
void settings_done(struct settings *);

/* Reads the text of such a file: the lines before any name, then those of
 * name (may be NULL), which win.  found (may be NULL) tells whether the name
 * is there.  0 or -EINVAL with why. */
int settings_parse(const char *text, const char *name, struct settings *ret,
		   bool *found, struct errmsg *why) MUST_CHECK;

/*
 * "host", "host:port", "[::1]:8000" or a whole http:// or https:// address, as
 * the address that settings hold.  Without a scheme it is http and port 8000.
 * NULL with why: not an address, another scheme, a password in it.
 */
char *settings_url(const char *text, struct errmsg *why);

/* Is what is sent there read by nobody else: https, or this machine? */
bool settings_is_private(const char *url);

/* A folder of the user's: $variable, else ~/fallback; with /sluicectl, to be
 * freed.  NULL without a home. */
char *settings_folder(const char *variable, const char *fallback);

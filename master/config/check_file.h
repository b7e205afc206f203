/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option -t: judges a configuration file. */
#pragma once

#include <jansson.h>
#include <stdio.h>

/* Flags of check_file(). */
enum {
	CHECK_FILE_STRICT = 1,
	CHECK_FILE_NO_LOGIN = 2, /* the service runs with --no-web-auth */
};

/* Writes one line per fault, then one per warning: "FILE:
 * make_stream[3].input[0] (news, "News 24"): …".  Similar warnings are limited
 * (findings.h).  At last it writes the numbers of faults and warnings; "FILE:
 * ok" replaces the number of faults if there are none.  Returns 0; 78 after a
 * fault, or, with CHECK_FILE_STRICT, after a warning.  port: the value of -p,
 * which replaces the setting control_port; NULL: not given.  *ret_document (may
 * be NULL) is set to a document without a fault, a new reference; after a fault
 * it is unchanged. */
int check_file(const char *path, const char *port, unsigned flags, FILE *out,
	       json_t **ret_document);

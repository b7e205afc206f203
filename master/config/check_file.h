/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option -t: judges a configuration file. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes one line per fault, then one per warning: "FILE:
 * make_stream[3].input[0] (news, "News 24"): …".  Similar warnings are limited
 * (findings.h).  At last it writes the numbers of faults and warnings; "FILE:
 * ok" replaces the number of faults if there are none.  Returns 0; 78 after a
 * fault, or, if strict is true, after a warning.  port: value of the option -p,
 * which replaces the setting control_port; NULL: not given.  *ret_document (may
 * be NULL) is set to a document without a fault, a new reference; after a fault
 * it is unchanged. */
int check_file(const char *path, const char *port, bool strict, FILE *out,
	       json_t **ret_document);

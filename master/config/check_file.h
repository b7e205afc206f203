/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option -t: judges a configuration file. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Writes one line per fault, then per warning:
 * "FILE: make_stream[3].input[0] (news, "News 24"): …"; at last their numbers,
 * or "FILE: ok" without a fault.  Returns 0, or 78 with a fault, or with a
 * warning if strict is true.  port: as the option -p, instead of the setting
 * control_port; NULL: it was not given.  *ret_document (may be NULL) is a new
 * reference of a document without a fault; else it is unchanged. */
int check_file(const char *path, const char *port, bool strict, FILE *out,
	       json_t **ret_document);

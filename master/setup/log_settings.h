/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the settings of the section `log', which have precedence over those of
 * the command line. */
#pragma once

#include "common/base/util.h"

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct options;

enum {
	LOG_FILE_SIZE_DEFAULT_MIB = 10,
	LOG_IDENT_MAX = 64,
};

struct log_settings {
	bool debug;
	bool to_stdout;
	bool api_access;
	char filename[PATH_MAX];       /* "": no file */
	uint64_t max_file_size;        /* bytes; 0: the file is never rotated */
	char syslog[LOG_IDENT_MAX];    /* "": no syslog */
};

/* Makes the settings of the command line. */
void log_settings_start(const struct options *, struct log_settings *ret);

/* Reads the section (may be NULL).  A key that is missing, of a wrong type or
 * too long has the value of start. */
void log_settings_read(const json_t *section, const struct log_settings *start,
		       struct log_settings *ret);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option -t: judges a configuration file and says so. */
#pragma once

#include <stdio.h>

/* One line per fault, then per warning:
 * "FILE: make_stream[3].input[0] (news, "News 24"): …"; at last how many, or
 * "FILE: ok" when there is no fault.  Returns 0, or 78 when there is one. */
int check_file(const char *path, FILE *out);

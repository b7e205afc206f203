/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_USAGE = 2 };

uint64_t arg_number(const char *option, const char *text, uint64_t min,
		    uint64_t max)
{
	char *end;

	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	if (errno == 0 && end != text && *end == '\0' && *text != '-' &&
	    value >= min && value <= max)
		return value;
	fprintf(stderr, "%s: %s is not a number from %" PRIu64 " to %" PRIu64
			"\n", option, text, min, max);
	exit(EXIT_USAGE);
}

uint64_t arg_rate_bps(const char *option, const char *text)
{
	char *end;
	double mbit = strtod(text, &end);

	if (end != text && *end == '\0' && mbit >= 0.1 && mbit <= 1000)
		return (uint64_t)(mbit * 1e6);
	fprintf(stderr, "%s: %s is not a rate from 0.1 to 1000 Mbit/s\n",
		option, text);
	exit(EXIT_USAGE);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command lines of the bench programs. */
#pragma once

#include <stddef.h>

enum arg_kind {
	ARG_NUMBER, /* to an unsigned, decimal, from min to max */
	ARG_RATE,   /* to an uint64_t: bits per second; given in Mbit/s, with a
		     * fraction at will ("8", "2.5"), from 0.1 to 1000 */
	ARG_TEXT,   /* to a const char *, which lives as long as argv */
	ARG_FLAG,   /* to a bool: true when the option is there */
};

struct arg {
	const char *name; /* with its dashes: "--streams" */
	enum arg_kind kind;
	void *to; /* keeps its value when the option is not there */
	unsigned min, max;
};

/* Reads the whole command line by a table of n options.  Ends the program
 * with status 2 and a sentence that names the option, or with usage, when
 * something does not fit. */
void args_parse(int argc, char **argv, const struct arg *args, size_t n,
		const char *usage);

/* Prints usage and ends the program with status 2. */
_Noreturn void args_usage(const char *usage);

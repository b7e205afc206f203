/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/args.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static unsigned number(const struct arg *arg, const char *text)
{
	char *end;

	errno = 0;
	unsigned long value = strtoul(text, &end, 10);
	if (errno == 0 && end != text && *end == '\0' && *text != '-' &&
	    value >= arg->min && value <= arg->max)
		return (unsigned)value;
	fprintf(stderr, "%s: %s is not a number from %u to %u\n", arg->name,
		text, arg->min, arg->max);
	exit(EXIT_USAGE);
}

static uint64_t rate_bps(const struct arg *arg, const char *text)
{
	char *end;
	double mbit = strtod(text, &end);

	if (end != text && *end == '\0' && mbit >= 0.1 && mbit <= 1000)
		return (uint64_t)(mbit * 1e6);
	fprintf(stderr, "%s: %s is not a rate from 0.1 to 1000 Mbit/s\n",
		arg->name, text);
	exit(EXIT_USAGE);
}

static void take(const struct arg *arg, const char *text)
{
	switch (arg->kind) {
	case ARG_NUMBER:
		*(unsigned *)arg->to = number(arg, text);
		break;
	case ARG_RATE:
		*(uint64_t *)arg->to = rate_bps(arg, text);
		break;
	case ARG_TEXT:
		*(const char **)arg->to = text;
		break;
	case ARG_FLAG:
		*(bool *)arg->to = true;
		break;
	}
}

_Noreturn void args_usage(const char *usage)
{
	fputs(usage, stderr);
	exit(EXIT_USAGE);
}

void args_parse(int argc, char **argv, const struct arg *args, size_t n,
		const char *usage)
{
	for (int i = 1; i < argc; i++) {
		const struct arg *arg = args;

		while (arg < args + n && strcmp(arg->name, argv[i]) != 0)
			arg++;
		if (arg == args + n ||
		    (arg->kind != ARG_FLAG && ++i == argc))
			args_usage(usage);
		take(arg, argv[i]);
	}
}

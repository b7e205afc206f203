/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every subcommand of sluicectl has at hand, and how it ends.
 *
 * Owns nothing by itself; main.c builds the parts and takes them down.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "ctl/ctl_options.h"
#include "ctl/ctl_settings.h"

#include <jansson.h>
#include <stdbool.h>

struct client;

/* The exit codes: part of the interface, see sluicectl(1). */
enum ctl_exit {
	CTL_OK = 0,
	CTL_REFUSED = 1,     /* by the service, or a file that cannot be read */
	CTL_USAGE = 2,       /* the command line, the file of settings */
	CTL_UNREACHABLE = 3, /* no service answers there */
	CTL_AUTH = 4,        /* a login is needed, or was refused */
	CTL_DIFFERS = 5,     /* config diff --exit-code */
};

struct ctl {
	struct options options;
	struct settings settings;
	struct client *client;
	bool colour;
	struct errmsg why; /* set by whoever returns another code than CTL_OK */
};

/* Keeps the sentence and returns the code for the caller to return. */
enum ctl_exit ctl_fail(struct ctl *, enum ctl_exit, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Prints one JSON document and a line end. */
void ctl_print_json(const json_t *);

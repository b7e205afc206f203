/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The context of all subcommands of sluicectl, and their exit codes.
 *
 * main.c creates and frees the members of the context.
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
	CTL_REFUSED = 1, /* the service rejected it, or a file is unreadable */
	CTL_USAGE = 2, /* error in the command line or the settings file */
	CTL_UNREACHABLE = 3, /* no service at that address */
	CTL_AUTH = 4, /* login needed or refused */
	CTL_DIFFERS = 5, /* config diff --exit-code found a difference */
};

struct ctl {
	struct options options;
	struct settings settings;
	struct client *client;
	bool colour; /* print with colours */
	struct errmsg error; /* of the command; set with every code except
			      * CTL_OK and CTL_DIFFERS */
};

/* Stores the sentence in ctl->error and returns the code. */
enum ctl_exit ctl_fail(struct ctl *, enum ctl_exit, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Prints one JSON document and a newline. */
void ctl_print_json(const json_t *);

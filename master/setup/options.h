/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of the master. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/sockaddr.h"
#include "common/base/util.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	OPTIONS_ALLOW_PATHS_MAX = 32,

	/* Codes of sysexits.h. */
	OPTIONS_EXIT_OK = 0,
	OPTIONS_EXIT_USAGE = 64,
	OPTIONS_EXIT_OUTPUT = 74,
	OPTIONS_EXIT_CONFIG = 78,
};

struct options {
	char *const *argv;       /* all arguments, for a restart */
	const char *config_path; /* -c; NULL: nothing is read or saved */
	const char *port;        /* -p; NULL: not given */
	bool no_web_auth;        /* --no-web-auth */
	const char *web_dir;     /* --web-dir; NULL: not given */
	bool require_sandbox;    /* --require-sandbox */
	bool trial;              /* TRIAL_OPTION of common/supervise/trial.h */
	/* --allow-path: each a folder, or several separated by colons. */
	const char *allow_paths[OPTIONS_ALLOW_PATHS_MAX];
	size_t n_allow_paths;
	const char *user;        /* --user; NULL: not given */
	/* The next members apply where the section `log' has no value. */
	bool debug;              /* --debug */
	bool no_stdout;          /* --no-stdout */
	const char *log_file;    /* --log; NULL: not given */
	const char *syslog;      /* --syslog; NULL: not given */
};

/*
 * True: continue with *ret (its strings are argv's).  False: exit with
 * *ret_exit: -h, -V, --describe and --schema were answered on stdout, -t, -T or
 * --reset-password was carried out, or the usage was wrong (a line on stderr,
 * exit 64).
 */
bool options_parse(int argc, char **argv, struct options *ret,
		   int *ret_exit) MUST_CHECK;

/*
 * Finds the address of the control server: -p if given, else control_port of
 * the settings (NULL: absent), else port 8000 on every address.  Returns 0, or
 * -EINVAL with error; a wrong setting is an error even with -p.
 */
int options_control_address(const struct options *,
			    const json_t *control_port,
			    struct sockaddr_any *ret,
			    struct errmsg *error) MUST_CHECK;

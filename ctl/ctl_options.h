/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line: options may precede, follow and separate the words of the
 * command.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

enum { OPTION_SCOPES_MAX = 17 };

/* Options of single commands; each command lists the ones it accepts. */
enum option_bit {
	OPTION_PASSWORD_FILE = 1 << 0,
	OPTION_REMEMBER = 1 << 1,
	OPTION_SORT = 1 << 2,
	OPTION_SCOPE = 1 << 3,
	OPTION_STREAM = 1 << 4,
	OPTION_COUNT = 1 << 5,
	OPTION_VALUE = 1 << 6,
	OPTION_RESTART = 1 << 7,
	OPTION_EXIT_CODE = 1 << 8,
	OPTION_QUIET = 1 << 9,
	OPTION_ONCE = 1 << 10,
	OPTION_INTERRUPT = 1 << 11,
};

/* All texts are borrowed from argv. */
struct options {
	/* every command takes these */
	const char *host; /* address, or a section name of the settings file */
	const char *user;
	const char *cacert;
	const char *config; /* path of the settings file */
	bool insecure;
	unsigned timeout_s; /* 0: not given */
	bool json;
	bool no_color;
	bool help;
	bool version;

	unsigned given; /* enum option_bit */
	const char *password_file;
	const char *sort;
	const char *scopes[OPTION_SCOPES_MAX];
	size_t n_scopes;
	const char *stream;
	unsigned count;
	const char *value;

	char **words; /* the command and its arguments */
	size_t n_words;
};

/* 0, or -EINVAL with error.  Moves the words of argv behind its options. */
int options_parse(int argc, char **argv, struct options *ret,
		  struct errmsg *error) MUST_CHECK;

/* Returns the first option of bits, without its dashes: "sort"; "" for 0. */
const char *options_name(unsigned bits);

/* The scopes that --scope accepts.  A NULL ends them. */
extern const char *const options_scopes[];

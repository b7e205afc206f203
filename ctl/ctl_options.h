/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the command line.  Options may be in front of, between and behind the
 * words of the command.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

#include <stdbool.h>
#include <stddef.h>

enum { OPTION_SCOPES_MAX = 32 };

/* The options that only some commands accept: a bit for each. */
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
	/* Every command accepts the members down to `version'. */
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

	unsigned given; /* bits of enum option_bit: options that are present */
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

/* Returns the name of the first option in bits, without its dashes: "sort"; "":
 * bits is 0. */
const char *options_name(unsigned bits);

/* The scopes that --scope accepts.  A NULL ends them. */
extern const char *const options_scopes[];

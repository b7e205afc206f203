/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a password from the terminal or from a file. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

enum { SECRET_MAX = 1024 };

/*
 * Reads the first line of file ("-": standard input).  If file is NULL, prompts
 * on the terminal without echo; if standard input is no terminal, reads the
 * first line of standard input.  The caller frees *ret with secret_free().  0,
 * or -errno with error.
 */
int secret_read(const char *file, const char *prompt, char **ret,
		struct errmsg *error) MUST_CHECK;

/* Clears and frees the memory; sets *secret to NULL. */
void secret_free(char **secret);

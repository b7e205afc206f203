/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A password that is typed, or that stands in a file. */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"

enum { SECRET_MAX = 1024 };

/*
 * The first line of file ("-": standard input).  Without a file it is asked on
 * the terminal, without echo; or, where standard input is no terminal, read
 * from there.  *ret is for secret_free().  0, or -errno with why.
 */
int secret_read(const char *file, const char *prompt, char **ret,
		struct errmsg *why) MUST_CHECK;

/* Clears the memory first; sets *secret to NULL. */
void secret_free(char **secret);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Explains addresses in the spelling of other programs: what to write instead.
 *
 * A remedy is the end of a sentence: "write udp://GROUP:PORT".  Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_type.h"

#include <stdbool.h>

/* Replaces the error about an address without "type://" by an error that says
 * what to write, if that is known. */
void io_foreign_untyped(const char *text, struct errmsg *error);

/* Writes the error about a type that this version does not have.  Returns
 * -ENOTSUP if a configuration may contain addresses of this type, else -EINVAL;
 * never 0. */
int io_foreign_type(const char *type, bool input,
		    struct errmsg *error) MUST_CHECK;

/* The remedy for an option of another program; NULL: none is known. */
const char *io_foreign_option(const struct io_type *, bool input,
			      const char *key);

/* A remark about an option that the type does not have, but other types or a
 * stream have: "is for rist, not for file".  False: no such option. */
bool io_foreign_place(const struct io_type *, bool input, const char *key,
		      struct errmsg *ret);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses as other programs spell them: what to write instead.
 *
 * A remedy is the end of a sentence: "write udp://GROUP:PORT".  Pure.
 */
#pragma once

#include "common/base/errmsg.h"
#include "proto/spec/io_type.h"

#include <stdbool.h>

/* Replaces the error of an address without "type://" by one that says what to
 * write, if that is known. */
void io_foreign_untyped(const char *text, struct errmsg *error);

/* The error for a type that this version does not have.  Returns -ENOTSUP if
 * its addresses may stay in a configuration, else -EINVAL; never 0. */
int io_foreign_type(const char *type, bool input,
		    struct errmsg *error) MUST_CHECK;

/* The remedy for an option of another program; NULL: none is known. */
const char *io_foreign_option(const struct io_type *, bool input,
			      const char *key);

/* A remark about an option that the type does not have, but other types or a
 * stream have: "is for rist, not for file".  False: no such option. */
bool io_foreign_place(const struct io_type *, bool input, const char *key,
		      struct errmsg *ret);

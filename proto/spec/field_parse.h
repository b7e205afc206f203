/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads an object from JSON text into a struct, by a table of fields (field.h).
 * It builds no JSON tree of the object, as field_read() needs, and takes a
 * tenth of the time.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/field.h"

#include <jansson.h>

struct json_reader;

/* Reads the next value of the text, an object of a FIELD_STRICT table.  0 or
 * -EINVAL.  ret borrows its strings from the text.  The list *trees owns the
 * JSON values of ret; if it is NULL, it is made for the first value.  Members
 * without a row become zero.  Unused items of lists are not written. */
int field_parse(const struct field_table *, struct json_reader *text,
		json_t **trees, void *ret, struct errmsg *error) MUST_CHECK;

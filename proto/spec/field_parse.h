/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads an object from JSON text straight into a struct, as a table of fields
 * (field.h) says.  field_read() does so from a tree, which costs ten times as
 * much.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "proto/spec/field.h"

#include <jansson.h>

struct json_reader;

/* Reads the next value of the text, an object of a FIELD_STRICT table.  0 or
 * -EINVAL.  ret borrows its strings from the text.  The list *trees, which is
 * made for the first tree, owns the JSON values of ret.  Members without a row
 * become zero.  Items of lists behind the last one stay as they are. */
int field_parse(const struct field_table *, struct json_reader *text,
		json_t **trees, void *ret, struct errmsg *error) MUST_CHECK;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Macros for the field tables of documents that a worker writes and the master
 * checks.  Only report_shape.c and plan_shape.c include this file, because its
 * names are short.
 */
#pragma once

#include "common/base/util.h"
#include "proto/spec/field.h"

#define FLAG .type = FIELD_BOOL
#define COUNT .type = FIELD_UINT
#define COUNT_TO(most) .type = FIELD_UINT, .max = most
#define TEXT_TO(most) .type = FIELD_STRING, .max = most
#define OBJECT(table) .type = FIELD_OBJECT, .of = &table
#define LIST_TO(most, table) .type = FIELD_LIST, .max = most, .of = &table
#define MAYBE .flags = FIELD_MAYBE
#define SHAPE(rows) { rows, ARRAY_LEN(rows), .flags = FIELD_STRICT }

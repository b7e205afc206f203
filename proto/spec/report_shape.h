/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the analysis that a worker sends of an input or of the output
 * of its stream (doc/api.md).  The master checks a report with them before it
 * shows the report.
 */
#pragma once

#include "proto/spec/field.h"

extern const struct field_table report_fields;

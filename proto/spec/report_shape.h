/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of a report: the analysis of an input or of the output of a
 * stream, which the worker sends (doc/api.md).  The master checks a report with
 * these fields before it shows the report.
 */
#pragma once

#include "proto/spec/field.h"

extern const struct field_table report_fields;

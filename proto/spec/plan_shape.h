/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the plan of an input, which the worker of a multiplex sends:
 * the PIDs and service numbers of the input in the multiplex (doc/api.md).
 * The master checks a plan with these fields before it shows the plan.
 */
#pragma once

#include "proto/spec/field.h"

enum {
	PLAN_PIDS_MAX = 100, /* PIDs in one part of a plan (stream.planned) */
	PLAN_SERVICES_MAX = 256,
};

extern const struct field_table plan_fields;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of the plan that the worker of a multiplex sends of an input: the
 * PIDs and service numbers that it has in the multiplex (doc/api.md).  The
 * master checks a plan with them before it shows the plan.
 */
#pragma once

#include "proto/spec/field.h"

enum {
	PLAN_PIDS_MAX = 100, /* of one part */
	PLAN_SERVICES_MAX = 256,
};

extern const struct field_table plan_fields;

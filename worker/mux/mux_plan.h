/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of a multiplex as JSON: which PIDs and service numbers an input has
 * there, and why (doc/api.md).
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

struct mux;

/* The part of the plan of an input (from 0) that begins with PID `from' of the
 * input; a new object.  *ret_next: the first PID of the next part, 0: this was
 * the last one. */
json_t *mux_plan(const struct mux *, size_t input, unsigned from,
		 unsigned *ret_next);

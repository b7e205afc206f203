/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of a multiplex as JSON: which PIDs and service numbers an input has
 * in the output, and why (doc/api.md).
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

struct mux;

/* A part of the plan of an input (the first one is 0), as a new object: the
 * PIDs of the source from `from' on, as many as a message has room for.
 * *ret_next: the first PID of the next part; 0: this was the last part. */
json_t *mux_plan(const struct mux *, size_t input, unsigned from,
		 unsigned *ret_next);

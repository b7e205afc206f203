/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds the ids and names of streams to the findings of a check, which name
 * streams only by their index: that is hard to find in a file.  Pure.
 */
#pragma once

#include <jansson.h>

/* Returns a copy of the text in which id and name follow the index of a stream:
 * "make_stream[3].output[0] (a003, \"News\")".  Control characters become
 * spaces.  free() it. */
char *place_names_add(const json_t *document, const char *text);

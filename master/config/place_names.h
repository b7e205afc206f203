/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings of a check name streams by position, which is hard to find in a
 * file.  Adds their ids and names.  Pure.
 */
#pragma once

#include <jansson.h>

/* A copy of the text in which id and name follow the position of a stream:
 * "make_stream[3].output[0] (a003, \"News\")".  Without control bytes.  free()
 * it. */
char *place_names_add(const json_t *document, const char *text);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How JSON is written so that it says what was read. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/*
 * The flags for json_dumps() with the fewest digits (15 to 17) from which each
 * real number in value is read again as it is: 0.1 stays 0.1.  value nests no
 * deeper than a document may.
 */
size_t json_text_flags(const json_t *value);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the digits that real numbers need in JSON text. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/*
 * Returns the flags for json_dumps() with the fewest digits (15 to 17) from
 * which a parser reads each real number in value unchanged: 0.1 is written as
 * 0.1.  The function is recursive: value must not be nested deeper than a
 * document may be.
 */
size_t json_text_flags(const json_t *value);

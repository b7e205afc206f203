/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes JSON so that a parser reads the same values again. */
#pragma once

#include <jansson.h>
#include <stddef.h>

/*
 * The flags for json_dumps() with the fewest digits (15 to 17) that keep each
 * real number of value: 0.1 stays 0.1.  value must not nest deeper than a
 * document may.
 */
size_t json_text_flags(const json_t *value);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs between two documents. */
#pragma once

#include <jansson.h>

/* The ids of the streams that are `added', `changed' and `removed', and the
 * other `sections' that differ.  A new reference. */
json_t *changes_list(const json_t *old, const json_t *new);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the differences of two documents of the configuration. */
#pragma once

#include <jansson.h>

/* Returns the ids of the streams that are `added', `changed' and `removed', and
 * the names of the other `sections' that differ; a new reference. */
json_t *changes_list(const json_t *old, const json_t *new);

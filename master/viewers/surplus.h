/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts, for each mount (by its number), how many viewers the deliver workers
 * count in excess, because several workers count the same viewer.
 *
 * Owns its counts.
 */
#pragma once

#include <stdint.h>

struct surplus;

struct surplus *surplus_new(void);
/* NULL-safe; sets *s to NULL. */
void surplus_free(struct surplus **);

/* Increments the count of a mount. */
void surplus_add(struct surplus *, uint64_t mount);
/* Decrements the count of a mount. */
void surplus_take(struct surplus *, uint64_t mount);
/* Returns the count of a mount. */
unsigned surplus_get(const struct surplus *, uint64_t mount);

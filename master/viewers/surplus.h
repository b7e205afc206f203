/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the deliver workers count a viewer of a mount more than once, by
 * number.
 *
 * Owns its counts.
 */
#pragma once

#include <stdint.h>

struct surplus;

struct surplus *surplus_new(void);
/* NULL-safe; sets *s to NULL. */
void surplus_free(struct surplus **);

/* One more, or one less. */
void surplus_add(struct surplus *, uint64_t mount);
void surplus_take(struct surplus *, uint64_t mount);
unsigned surplus_get(const struct surplus *, uint64_t mount);

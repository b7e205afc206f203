/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of the tunings of a scan.
 *
 * A network scan adds the tunings that each NIT names; each is tuned once.  A
 * blind scan skips steps whose frequency lies within a transponder that was
 * found.  Pure.
 */
#pragma once

#include "proto/spec/scan_spec.h"

#include <stdbool.h>
#include <stddef.h>

struct tuning_list;

/* Borrows the spec. */
struct tuning_list *tuning_list_new(const struct scan_spec *);
/* NULL-safe; sets *l to NULL. */
void tuning_list_free(struct tuning_list **);

/* Returns the adapter configuration with the next tuning, a new object; NULL:
 * all tunings were tried. */
json_t *tuning_list_next(struct tuning_list *);

/* Returns the keys of the current tuning, a new object. */
json_t *tuning_list_current(const struct tuning_list *);

/* Notes that the current tuning has lock. */
void tuning_list_found(struct tuning_list *);

/* If this is a network scan and the record is of the NIT of the actual network,
 * adds the tunings that the record names. */
void tuning_list_add(struct tuning_list *, const json_t *record);

size_t tuning_list_done(const struct tuning_list *);
size_t tuning_list_total(const struct tuning_list *);

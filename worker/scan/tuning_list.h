/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tunings of a scan: which was done, and which is the next.
 *
 * A scan of a network adds those of each NIT; each is tuned once.  A blind scan
 * leaves out the steps that lie within a transponder that it has found.  Pure.
 */
#pragma once

#include "proto/spec/scan_spec.h"

#include <stdbool.h>
#include <stddef.h>

struct tuning_list;

/* The spec is borrowed. */
struct tuning_list *tuning_list_new(const struct scan_spec *);
/* NULL-safe; sets *l to NULL. */
void tuning_list_free(struct tuning_list **);

/* The adapter with the next tuning, a new object; NULL: all tunings were
 * tried. */
json_t *tuning_list_next(struct tuning_list *);

/* The keys of the present tuning, a new object. */
json_t *tuning_list_current(const struct tuning_list *);

/* Notes that the present tuning has lock. */
void tuning_list_found(struct tuning_list *);

/* In a scan of a network, adds the tunings that a record of the current NIT of
 * this network names.  Ignores other records. */
void tuning_list_add(struct tuning_list *, const json_t *record);

size_t tuning_list_done(const struct tuning_list *);
size_t tuning_list_total(const struct tuning_list *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section auth, for the commands that store it. */
#pragma once

#include <jansson.h>

struct api;

/* Sorts the lists of addresses by their prefixes, the longest first; equal
 * ones keep their order.  Drops items that are not addresses.  section may be
 * NULL. */
void auth_edit_sort(json_t *section);

/* Applies the stored section, which is without errors, to all viewers: they
 * are admitted again after a start with a faulty one. */
void auth_edit_apply(struct api *);

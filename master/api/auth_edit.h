/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section auth, for the commands that store it. */
#pragma once

#include <jansson.h>

struct api;

/* Sorts the lists of addresses by their prefixes, the longest first; equal
 * ones keep their order.  Drops items that are not addresses.  section may be
 * NULL. */
void auth_edit_sort(json_t *section);

/* Applies the stored section, which has no errors, to all viewers.  If a faulty
 * section had closed the outputs since the start, viewers are admitted
 * again. */
void auth_edit_apply(struct api *);

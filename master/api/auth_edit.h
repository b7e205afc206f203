/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What set-auth does to the section it was given, which may be NULL. */
#pragma once

#include <jansson.h>

/* Sorts the lists of addresses by their prefixes, the longest first; equal
 * ones keep their order.  Items that are not addresses are dropped, with a
 * line in the log. */
void auth_edit_lists(json_t *section);

/* Logs what cannot be used in it; it is stored all the same. */
void auth_edit_warn(const json_t *section);

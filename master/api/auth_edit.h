/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section auth, for the commands that store it. */
#pragma once

#include <jansson.h>

struct api;

/* Sorts http_ip_allow and http_ip_deny by the length of the prefixes, the
 * longest first; prefixes of equal length keep their order.  Drops items that
 * are not addresses.  section may be NULL. */
void auth_edit_sort(json_t *section);

/* Applies the stored section, which has no errors, to all viewers.  If the
 * outputs were closed since the start because of a faulty section, viewers are
 * admitted again. */
void auth_edit_apply(struct api *);

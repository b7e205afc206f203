/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What observers may see of the configuration.  Pure. */
#pragma once

#include <jansson.h>

/* A copy of the document in which each softcam is reduced to `id` and `name`,
 * and users have no `cipher`.  A new reference. */
json_t *observer_view(const json_t *document);

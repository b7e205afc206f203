/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sessions that SAP announces on the network, as a worker receives them.
 *
 * Announcements arrive minutes apart: the worker starts with the first request
 * and ends ANNOUNCEMENTS_LIFE_MS after the last one.  Owns its job and the
 * sessions; borrows the jobs.
 */
#pragma once

#include "common/base/util.h"

#include <jansson.h>

struct announcement_list;
struct jobs;

enum { ANNOUNCEMENTS_LIFE_MS = 3600 * 1000 };

struct announcement_list *announcement_list_new(struct jobs *);
/* NULL-safe; sets *l to NULL. */
void announcement_list_free(struct announcement_list **);

/* The sessions so far, a new object (doc/api.md); keeps the worker running.
 * NULL when no worker can be started. */
json_t *announcement_list_get(struct announcement_list *);

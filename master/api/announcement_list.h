/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sessions that are announced on the network, as a worker hears them.
 *
 * Listening begins when somebody asks, as announcements come minutes apart,
 * and ends when nobody has asked for ANNOUNCEMENTS_LIFE_MS.  Owns its job and
 * what it told; borrows where jobs are started.
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

/* What is known, a new object (doc/api.md); keeps it listening.  NULL when
 * nobody can be started to listen. */
json_t *announcement_list_get(struct announcement_list *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GET api/announcements: the sessions that SAP announces on the network, as a
 * worker receives them.
 *
 * Announcements arrive minutes apart: the worker starts with the first request
 * and ends ANNOUNCEMENTS_LIFE_MS after the last one.  Owns its job and the
 * sessions; borrows the jobs.
 */
#pragma once

#include "common/base/util.h"

struct announcements;
struct jobs;

enum { ANNOUNCEMENTS_LIFE_MS = 3600 * 1000 };

struct announcements *announcements_new(struct jobs *);
/* NULL-safe; sets *l to NULL. */
void announcements_free(struct announcements **);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load, memory and processor use of the machine, the master and all workers,
 * from /proc.
 *
 * Owns its memory and one timer.  Looks once a second while somebody asks, and
 * every five seconds else.
 */
#pragma once

#include "master/status/status.h"

struct system_status;

struct system_status *system_status_new(struct ev_loop *);
void system_status_free(struct system_status **);

/* What was read in the last minute, as JSON, for another master, and back:
 * what is not sound is left out. */
json_t *system_status_write(const struct system_status *);
void system_status_take(struct system_status *, const json_t *);

/* The system status object, a new reference.  instance may be NULL. */
json_t *system_status_get(struct system_status *, enum status_span,
			  const char *instance);

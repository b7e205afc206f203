/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load, memory and CPU use of the host, the master and all workers, from /proc.
 *
 * Owns its memory and one timer.  Reads once a second while clients request it,
 * otherwise every five seconds.
 */
#pragma once

#include "master/status/status.h"

struct system_status;

struct system_status *system_status_new(struct ev_loop *);
void system_status_free(struct system_status **);

/* From master to master: the readings of the last minute as JSON; and back,
 * without invalid parts. */
json_t *system_status_write(const struct system_status *);
void system_status_take(struct system_status *, const json_t *);

/* The system status object, a new reference.  instance may be NULL. */
json_t *system_status_get(struct system_status *, enum status_span,
			  const char *instance);

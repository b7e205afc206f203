/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load, memory and CPU use of the host, the master and all workers, from /proc.
 *
 * Owns its memory and one timer.  Reads the processes once a second while
 * clients request the status, otherwise their CPU times every five seconds.  A
 * request reads no process itself, unless it is the first one for a while: with
 * hundreds of workers that takes milliseconds.
 */
#pragma once

#include "master/status/status.h"

#include <stddef.h>
#include <sys/types.h>

struct system_status;

struct system_status *system_status_new(struct ev_loop *);
void system_status_free(struct system_status **);

/* Writes the pids of the workers, at most room of them; returns their number,
 * which may be greater than room. */
typedef size_t workers_fn(pid_t *list, size_t room, void *arg);

/* Sets the function that lists workers which are not children of this process,
 * but count as well. */
void system_status_set_workers(struct system_status *, workers_fn *,
			       void *arg);

/* Records the start of the service and the readings of the last minute for the
 * next master: a new reference. */
json_t *system_status_write(const struct system_status *);
/* Takes the valid parts of a record of the previous master. */
void system_status_take(struct system_status *, const json_t *);

/* Returns the seconds since the start of the service, which may have had other
 * masters. */
uint64_t system_status_uptime_s(const struct system_status *);

/* Returns the system status object, a new reference.  instance (may be NULL):
 * name of the instance. */
json_t *system_status_get(struct system_status *, enum status_span,
			  const char *instance);

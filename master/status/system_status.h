/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load, memory and CPU use of the host, the master and all workers, from /proc.
 *
 * Owns its memory and one timer.  Reads once a second while clients request it,
 * otherwise every five seconds.  A request reads nothing itself, unless it is
 * the first one for a while: with hundreds of workers that takes milliseconds.
 */
#pragma once

#include "master/status/status.h"

#include <stddef.h>
#include <sys/types.h>

struct system_status;

struct system_status *system_status_new(struct ev_loop *);
void system_status_free(struct system_status **);

/* Writes at most room of the pids of the workers and returns their number,
 * which may be more. */
typedef size_t workers_fn(pid_t *list, size_t room, void *arg);

/* The workers that count, besides the children of this process. */
void system_status_set_workers(struct system_status *, workers_fn *,
			       void *arg);

/* From master to master: the start of the service and the readings of the last
 * minute as JSON; and back, without invalid parts. */
json_t *system_status_write(const struct system_status *);
void system_status_take(struct system_status *, const json_t *);

/* Seconds since the start of the service, which may have had other masters. */
uint64_t system_status_uptime_s(const struct system_status *);

/* The system status object, a new reference.  instance may be NULL. */
json_t *system_status_get(struct system_status *, enum status_span,
			  const char *instance);

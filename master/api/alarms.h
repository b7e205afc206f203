/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The alarms of the service: collects them and sends their events. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct api;
struct alarms;
struct errmsg;
struct system_alarms;

/* Owns one timer; borrows the API.  The timer starts with alarms_start(). */
struct alarms *alarms_new(struct api *);
/* NULL-safe; sets *a to NULL. */
void alarms_free(struct alarms **);
void alarms_start(struct alarms *);
/* Returns the number of alarm events of the service so far. */
uint64_t alarms_changes(const struct alarms *);
/* Returns the state of the alarms, borrowed. */
struct system_alarms *alarms_state(struct alarms *);

/* error: why a reload failed; raises the alarm `reload' until the next reload
 * or change of the configuration.  NULL: a reload succeeded. */
void alarms_set_reload(struct alarms *, const char *error);

/* Returns the sentences of all alarms for the system status, a new array. */
json_t *alarms_sentences(struct alarms *);

/* Returns the alarms of the service, without those of streams, a new array in
 * the form of system_alarms_list(). */
json_t *alarms_list(struct alarms *);

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

/* Owns one timer; borrows the API.  Begins with alarms_start(). */
struct alarms *alarms_new(struct api *);
/* NULL-safe; sets *a to NULL. */
void alarms_free(struct alarms **);
void alarms_start(struct alarms *);
/* Counts the events of alarms. */
uint64_t alarms_changes(const struct alarms *);
/* Borrowed. */
struct system_alarms *alarms_state(struct alarms *);

/* SIGHUP met a file that cannot be used: an alarm until the next reload or
 * change of the configuration.  NULL: the file was good. */
void alarms_set_reload(struct alarms *, const char *error);

/* All alarms for the system status, sentences, a new array. */
json_t *alarms_sentences(struct alarms *);

/* The alarms of the service without those of streams, as
 * system_alarms_list(). */
json_t *alarms_list(struct alarms *);

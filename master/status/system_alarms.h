/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The alarms of the service itself: a log file that cannot be written, a file
 * that SIGHUP rejected, and the like.
 *
 * Each has a name and sentences for the operator.  The source of each is asked
 * once a second and at every request, so that the status, the events and the
 * log agree.  Pure: the caller sends the events.
 *
 * Owns copies.
 */
#pragma once

#include <jansson.h>

struct system_alarms;

struct system_alarms *system_alarms_new(void);
/* NULL-safe; sets *a to NULL. */
void system_alarms_free(struct system_alarms **);

/* Adds a sentence (borrowed) to a list of alarms.  Text that is not UTF-8 is
 * replaced. */
void system_alarms_add(json_t *list, const char *name, const char *sentence);

/* Takes the present list and returns the events, a new array: an alarm whose
 * name is new, or has more sentences, is raised; one whose name is gone is
 * cleared. */
json_t *system_alarms_take(struct system_alarms *, json_t *take_list);

/* The present alarms: objects with alarm, priority, reason and the time since
 * when it is raised, a new array. */
json_t *system_alarms_list(const struct system_alarms *);

/* The sentences of a list, a new array. */
json_t *system_alarms_sentences(const json_t *list);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The alarms of the service itself, such as a log file that cannot be written,
 * or a configuration file that SIGHUP rejected.
 *
 * An alarm has a name, a sentence for the operator, and, if several processes,
 * files or settings can have the alarm, one of these as its subject.  The
 * caller collects the present alarms once a second and at every request, so
 * that status, events and log agree.  It also sends the events.  Pure.
 *
 * Owns copies.
 */
#pragma once

#include <jansson.h>

enum { SYSTEM_ALARMS_MAX = 64 };

struct system_alarms;

struct system_alarms *system_alarms_new(void);
/* NULL-safe; sets *a to NULL. */
void system_alarms_free(struct system_alarms **);

/* Adds an alarm (texts are copied) to a list, unless the list has one with this
 * name and subject, or is full.  subject NULL: the alarm has none.  A sentence
 * that is not UTF-8 is repaired. */
void system_alarms_add(json_t *list, const char *name, const char *subject,
		       const char *sentence);

/* Takes the list of present alarms; returns the events, a new array.  An alarm
 * that is new, or has another sentence (not only other numbers), gets an event
 * with raised true; an alarm that is no longer in the list gets one with raised
 * false.  Logs both. */
json_t *system_alarms_take(struct system_alarms *, json_t *take_list);
/* Has the next system_alarms_take() return an event for the alarm with this
 * name and without a subject, even if its sentence has not changed. */
void system_alarms_repeat(struct system_alarms *, const char *name);

/* Records the present alarms for the next master, a new array. */
json_t *system_alarms_write(const struct system_alarms *);
/* Takes the alarms of the previous instance, without invalid ones.  Call this
 * before the first system_alarms_take(). */
void system_alarms_restore(struct system_alarms *, const json_t *list);

/* Returns the present alarms, a new array of objects with alarm, priority,
 * reason and the time since when it is raised. */
json_t *system_alarms_list(const struct system_alarms *);

/* Returns the sentences of a list of alarms, a new array. */
json_t *system_alarms_sentences(const json_t *list);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The alarms of the service itself: a log file that cannot be written, a file
 * that SIGHUP rejected, and the like.
 *
 * Each has a name, a subject where several things can have it (a process, a
 * file, a setting), and a sentence for the operator.  The source of each is
 * asked once a second and at every request, so that the status, the events and
 * the log agree.  Pure: the caller sends the events.
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

/* Adds an alarm (texts are copied) to a list, unless there is one of this name
 * and subject, or the list is full.  subject: NULL: the service.  Text that is
 * not UTF-8 is replaced. */
void system_alarms_add(json_t *list, const char *name, const char *subject,
		       const char *sentence);

/* Takes the present list and returns the events, a new array: an alarm that is
 * new, or has another sentence, is raised; an alarm that is no longer in the
 * list is cleared. */
json_t *system_alarms_take(struct system_alarms *, json_t *take_list);
/* The alarm of this name without a subject is raised again with the next list,
 * even if its sentence differs in numbers only. */
void system_alarms_repeat(struct system_alarms *, const char *name);

/* The present alarms for the master of the next instance, a new array. */
json_t *system_alarms_write(const struct system_alarms *);
/* Takes the alarms of the previous instance, without invalid ones.  Call this
 * before the first system_alarms_take(). */
void system_alarms_restore(struct system_alarms *, const json_t *list);

/* The present alarms: objects with alarm, priority, reason and the time since
 * when it is raised, a new array. */
json_t *system_alarms_list(const struct system_alarms *);

/* The sentences of a list, a new array. */
json_t *system_alarms_sentences(const json_t *list);

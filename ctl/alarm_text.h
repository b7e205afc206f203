/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Formats raised alarms as text, for status, top and stream ls.  `answer' is
 * the reply of the overview; its list "alarms" has the alarms.
 */
#pragma once

#include "common/base/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Groups the alarms of streams: an object whose keys are the ids of streams and
 * whose values are arrays of alarms; a new reference. */
json_t *alarms_by_stream(const json_t *answer);

/* True: the alarm with this name (NULL: none) is about the process of a stream,
 * and not about its packets. */
bool alarm_is_of_process(const char *alarm);

/* Appends "alarms: continuity (input 1, output; since 14:03:05), ..." with at
 * most 8 alarms of a stream, and the number of the others; nothing if there are
 * no alarms.  said: the error that the line shows already ("": none), which is
 * not repeated as the reason of an alarm. */
void put_stream_alarms(struct buf *to, const json_t *alarms, const char *said);

/* Appends a line for each alarm of the service, at most max (0: all), and a
 * line with the number of the others; returns the number of lines. */
size_t put_service_alarms(struct buf *to, const json_t *answer, size_t max,
			  bool colour);

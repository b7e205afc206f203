/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The raised alarms in words, for status, top and stream ls: one source, the
 * list "alarms" of the overview.
 */
#pragma once

#include "common/base/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The alarms of streams by the id of the stream: an object of arrays, a new
 * reference. */
json_t *alarms_by_stream(const json_t *answer);

/* True: the alarm (NULL: none) is about the process, not about packets. */
bool alarm_is_of_process(const char *alarm);

/* Appends "alarms: continuity (input 1, output; since 14:03:05), ..." for the
 * alarms of a stream, at most 8, and how many there are more; nothing for
 * none.  said: the error that the line has, "": none; it is not repeated as
 * the reason of an alarm. */
void put_stream_alarms(struct buf *to, const json_t *alarms, const char *said);

/* Appends a line for each alarm of the service, at most max (0: all), and the
 * number of the others; returns the number of lines. */
size_t put_service_alarms(struct buf *to, const json_t *answer, size_t max,
			  bool colour);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Passes the history from one master to the next at a restart: the last minute
 * of every stream and of the host, the raised alarms, the time of the next
 * backup of the configuration, and the last hour of every stream.
 *
 * For the case of a crash, only data that does not change every second is kept:
 * the raised alarms, and for each stream whether and since when it is off air,
 * its active input and its errors.
 */
#pragma once

struct config;
struct handover;
struct status;
struct system_alarms;
struct system_status;

/* The objects that own the data; borrowed. */
struct history {
	struct config *config;
	struct status *status;
	struct system_status *system;
	struct system_alarms *alarms; /* NULL only in tests */
};

/* Adds to the document of the handover only what is kept for the case of a
 * crash: the raised alarms, and the record of status_write_kept(). */
void history_write_kept(const struct history *, struct handover *);

/* Adds the whole history, except the last hour, to the document of the
 * handover. */
void history_write(const struct history *, struct handover *);

/* Adds the last hour of every stream to the handover.  Returns the memfd with
 * the samples, which the caller closes; -1: there are no samples, or the memory
 * cannot be made. */
int history_write_hours(const struct history *, struct handover *);

/* Takes the valid parts of the history from the handover.  The streams must
 * have been added to the status before. */
void history_take(const struct history *, struct handover *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of the handover about the past: the last minute of every stream and
 * of the host, the raised alarms, and the time of the next backup of the
 * configuration; and, for a restart, the last hour of every stream.
 *
 * Only the raised alarms, and whether and since when a stream is off air, are
 * kept for a crash, because everything else changes every second.
 */
#pragma once

struct config;
struct handover;
struct status;
struct system_alarms;
struct system_status;

/* The owners of the data; borrowed. */
struct history {
	struct config *config;
	struct status *status;
	struct system_status *system;
	struct system_alarms *alarms; /* NULL in tests */
};

/* Adds what is kept for a crash to the document. */
void history_write_kept(const struct history *, struct handover *);

/* Adds the whole history to the document. */
void history_write(const struct history *, struct handover *);

/* Adds the last hour of every stream, in a memfd, which the caller closes;
 * -1: there is none. */
int history_write_hours(const struct history *, struct handover *);

/* Reads the valid parts from the document.  The status must know the streams
 * before. */
void history_take(const struct history *, struct handover *);

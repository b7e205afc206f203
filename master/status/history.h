/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a master remembers beside what it holds, for the one that replaces it:
 * the last minute of every stream and of the machine, and when the backup of
 * the configuration is due.
 *
 * Left out of what is kept for a crash: it changes every second.
 */
#pragma once

struct config;
struct handover;
struct status;
struct system_status;

/* Whose memory it is; all borrowed. */
struct history {
	struct config *config;
	struct status *status;
	struct system_status *system;
};

/* Adds it to the document. */
void history_write(const struct history *, struct handover *);

/* Takes it out of the document, as far as it is sound: streams have to be
 * known to the status by then. */
void history_take(const struct history *, struct handover *);

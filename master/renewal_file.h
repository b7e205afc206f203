/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judges the configuration file at a restart: in the trial of the installed
 * program, and again in the program that takes over, because the file may
 * change between the two.
 *
 * Keeps no state: the handover has what the next program needs.
 */
#pragma once

struct config;
struct errmsg;
struct ev_loop;
struct handover;
struct options;

/* Exit code of a trial: the file is damaged or missing, or has an error, and
 * is not the running configuration. */
enum { RENEWAL_EXIT_OTHER_FILE = 79 };

/* Adds to the handover of a trial the digests of the documents that this
 * service may have written.  Adds nothing while a change is not saved yet, or
 * without a file. */
void renewal_file_put_known(const struct config *, struct handover *);

/* Adds to the handover for the next master the digests of
 * renewal_file_put_known(), and the running document unless it has more than
 * 16 MiB or there is no file. */
void renewal_file_put_running(const struct config *, struct handover *);

/* Judges the file in a trial.  Returns 0, or after a line in the log
 * RENEWAL_EXIT_OTHER_FILE: the file is damaged, or has an error and is not
 * from this service; MASTER_EXIT_CONFIG: this program cannot use the running
 * configuration. */
int renewal_file_check(const struct options *, struct handover *);

/*
 * Opens the configuration of this program.  After a restart this is the file.
 * If the file is damaged or missing, or has an error and was not written by
 * this service, the running configuration of the handover is used instead; then
 * the log and file_error have the reason.  Otherwise file_error is "".  If
 * handover is NULL or has no document, does what config_open() does.
 */
struct config *renewal_file_open(const struct options *, struct handover *,
				 struct ev_loop *, struct errmsg *file_error,
				 struct errmsg *error);

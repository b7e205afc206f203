/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration file at a restart: judged by the trial of the installed
 * program, and once more by the program that takes over, because somebody may
 * write the file meanwhile.
 *
 * Keeps nothing: the handover carries what the next program has to know.
 */
#pragma once

struct config;
struct errmsg;
struct ev_loop;
struct handover;
struct options;

/* The trial read a faulty file, which is not that of this service. */
enum { RENEWAL_EXIT_OTHER_FILE = 79 };

/* For a trial: the documents that the file may have from this service.  Nothing
 * while a change has yet to replace the file. */
void renewal_file_put_known(const struct config *, struct handover *);

/* For the program that takes over: the same, and the running document, unless
 * it has more than 16 MiB. */
void renewal_file_put_running(const struct config *, struct handover *);

/* In a trial.  0, or an exit code after a line in the log: a damaged file
 * fails, and so does one with an error that is not from this service. */
int renewal_file_check(const struct options *, struct handover *);

/*
 * The configuration of this program: after a restart that of the file, or the
 * running one when the file is damaged, missing, or has an error and is not
 * from this service.  The log then has the reason, and file_error, which is
 * empty otherwise.  handover: NULL, or without a document: as config_open(),
 * with its error.
 */
struct config *renewal_file_open(const struct options *, struct handover *,
				 struct ev_loop *, struct errmsg *file_error,
				 struct errmsg *error);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the errors of files of a list that cannot be played, and logs each
 * error once, and again when it changes.
 *
 * Embedded; zeroed memory is empty.  Bounded by the length of the list.
 */
#pragma once

#include "common/base/errmsg.h"

#include <stdbool.h>
#include <stddef.h>

struct file_error {
	char *path;  /* owned; the list is sorted by it */
	char *error; /* owned */
	bool late;   /* a part of the file was played before the error */
	bool logged;
	bool met;    /* the list named the file in this round */
};

struct file_errors {
	struct file_error *list;
	size_t n, room;
};

void file_errors_done(struct file_errors *);

/* Notes that a file cannot be played; late: it was played, but not to its
 * end. */
void file_errors_note(struct file_errors *, const char *path, const char *error,
		      bool late);
/* Removes the error of a file that is played; whole: it was played to its end,
 * so that a late error is removed, too. */
void file_errors_clear(struct file_errors *, const char *path, bool whole);
/* Call it when the list begins again: drops the files that the list did not
 * name in its last round. */
void file_errors_round(struct file_errors *);
/* Notes that the list names a file in this round. */
void file_errors_meet(struct file_errors *, const char *path);

/* Logs the errors that were not logged yet: a few files, and the number of the
 * others. */
void file_errors_log(struct file_errors *);
/* Writes "/media/none.ts: No such file or directory"; for several errors the
 * number of files stands in front.  False: there are no errors. */
bool file_errors_text(const struct file_errors *, struct errmsg *ret);

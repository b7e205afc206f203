/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files of a list cannot be played, and why: told once, and again when
 * it changes.
 *
 * Embedded; zeroed memory knows of none.  Bounded by the length of the list.
 */
#pragma once

#include "common/base/errmsg.h"

#include <stdbool.h>
#include <stddef.h>

struct file_fault {
	char *path; /* owned; they stand in its order */
	char *why;  /* owned */
	bool late;  /* a part of it was played */
	bool told;
	bool met;   /* in this round */
};

struct file_faults {
	struct file_fault *list;
	size_t n, room;
};

void file_faults_done(struct file_faults *);

/* It cannot be played, or (late) not to its end. */
void file_faults_note(struct file_faults *, const char *path, const char *why,
		      bool late);
/* It is played; whole: to its end. */
void file_faults_clear(struct file_faults *, const char *path, bool whole);
/* The list begins again: what it did not name the last time is forgotten. */
void file_faults_round(struct file_faults *);
/* The list names it. */
void file_faults_meet(struct file_faults *, const char *path);

/* Writes to the log what was not said yet: a few files, and how many more. */
void file_faults_tell(struct file_faults *);
/* "none.ts: No such file or directory"; of several with their number in front.
 * False when all can be played. */
bool file_faults_text(const struct file_faults *, struct errmsg *ret);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps the login sessions in a file, so that they outlive the process.
 *
 * Owns the sessions; borrows the loop.  After a change of the sessions the
 * caller calls session_file_touch().  About 20 ms later a thread writes the
 * whole file, which replaces the old file atomically.  Sessions in an
 * unreadable file are lost.
 */
#pragma once

#include "common/base/util.h"
#include "common/document/save.h"

#include <stdbool.h>

struct ev_loop;
struct session_file;
struct sessions;

/* path: copied; NULL: the sessions are kept in memory only. */
struct session_file *session_file_open(struct ev_loop *, const char *path);
/* Writes the last changes.  NULL-safe; sets *f to NULL. */
void session_file_close(struct session_file **);

struct sessions *session_file_sessions(struct session_file *);
void session_file_touch(struct session_file *);
/* Writes the changes at once, and calls done with the result, as
 * save_catch_up() does.  False: there is no file, and no call. */
bool session_file_catch_up(struct session_file *, save_done_fn *done,
			   void *arg);
/* The error of the last write, which will be repeated; NULL: it succeeded. */
const char *session_file_error(const struct session_file *);
/* True when every change is in the file, or no file is used. */
bool session_file_is_saved(const struct session_file *);

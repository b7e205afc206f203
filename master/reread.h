/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the configuration file again and applies it, on SIGHUP and on the
 * command reload.
 *
 * A change that cannot apply while the master runs restarts the master, after a
 * trial.  A file with an error changes nothing.  If a save is writing the file,
 * the read waits for its end, at most five seconds.  Borrows everything in its
 * config; sets itself as the reader for the command reload of the api.
 */
#pragma once

#include "master/api/api.h"

#include <jansson.h>
#include <stdbool.h>

struct config;
struct errmsg;
struct ev_loop;
struct options;
struct reread;
struct write_paths;

struct reread_config {
	struct ev_loop *loop;
	const struct options *options;
	struct config *config;
	struct api *api;
	const struct write_paths *own_paths;
};

struct reread *reread_new(const struct reread_config *);
/* NULL-safe; sets *r to NULL.  Free the configuration before, because it may be
 * reading. */
void reread_free(struct reread **);

/* True: a reload would accept the document.  False: ret has the first error
 * and, if there are more, the number of errors; the log has all errors.  After
 * an error of the control port, ret has only this error, and the log has none.
 * own_paths: the result of write_roots_own(). */
bool reread_is_sound(const struct options *,
		     const struct write_paths *own_paths,
		     const json_t *document, struct errmsg *ret);

/* Starts a reload for SIGHUP; returns at once.  The result is logged; a restart
 * follows if it is necessary. */
void reread_ask(struct reread *);

/* For shutdown: a read in progress has no effect any more. */
void reread_stop(struct reread *);

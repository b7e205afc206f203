/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SIGHUP and the command reload: reads the configuration file again and applies
 * it.
 *
 * Applies what can change while the master runs; another change restarts the
 * master, after a trial.  A file with an error changes nothing.  Borrows
 * everything in its config, and serves the command of its api.
 */
#pragma once

#include "master/api/api.h"

#include <jansson.h>
#include <stdbool.h>

struct config;
struct errmsg;
struct options;
struct reread;
struct write_paths;

struct reread_config {
	const struct options *options;
	struct config *config;
	struct api *api;
	const struct write_paths *own_paths;
};

struct reread *reread_new(const struct reread_config *);
/* NULL-safe; sets *r to NULL.  Free the config first: it may be reading. */
void reread_free(struct reread **);

/* True when a reload accepts the document.  Logs every error; ret is the first
 * one.  own_paths: write_roots_own(). */
bool reread_is_sound(const struct options *,
		     const struct write_paths *own_paths,
		     const json_t *document, struct errmsg *ret);

/* For SIGHUP.  Returns at once; the result is logged, and a restart follows
 * where one is needed. */
void reread_ask(struct reread *);

/* Shutdown: a read in progress changes nothing. */
void reread_stop(struct reread *);

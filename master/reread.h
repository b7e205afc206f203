/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SIGHUP: takes over what somebody else wrote to the configuration file.
 *
 * What can change while the instance runs is changed; anything else asks for
 * a restart.  A file with a fault changes nothing.  Borrows everything in its
 * config.
 */
#pragma once

struct api;
struct config;
struct options;
struct reread;

struct reread_config {
	const struct options *options;
	struct config *config;
	struct api *api;
	void (*restart)(void *arg);
	void *arg;
};

struct reread *reread_new(const struct reread_config *);
/* NULL-safe; sets *r to NULL.  After the config: it may be reading. */
void reread_free(struct reread **);

/* Returns; every outcome is logged. */
void reread_ask(struct reread *);

/* We stop: what is being read changes nothing any more. */
void reread_stop(struct reread *);

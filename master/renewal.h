/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puts a new program in the place of this one: when all is saved, and the
 * file could be started with.
 *
 * Owns a timer; borrows everything in its config.
 */
#pragma once

#include <stdbool.h>

struct auth;
struct config;
struct ev_loop;
struct fd_store;
struct handover;
struct hub;
struct log_output;
struct renewal;

struct renewal_config {
	struct ev_loop *loop;
	const char *program; /* what we were started from; NULL: unknown */
	char *const *argv;
	struct auth *auth;
	struct config *config;
	struct hub *hub;
	struct log_output *log;
	struct fd_store *store;
	/* All there is to hand over, as of now; the renewal frees it. */
	struct handover *(*write)(void *arg);
	void *arg;
};

struct renewal *renewal_new(const struct renewal_config *);
/* NULL-safe; sets *r to NULL. */
void renewal_free(struct renewal **);

/* Returns; the program is replaced a moment later.  When that fails, it is
 * logged and all goes on as before. */
void renewal_ask(struct renewal *);

/* We stop: what was asked for is dropped, and what comes. */
void renewal_stop(struct renewal *);

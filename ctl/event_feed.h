/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of the service, for as long as anybody wants them: a token and a
 * connection, and a new one when it is lost.
 *
 * Owns the connection; borrows the ctl.
 */
#pragma once

#include "ctl/ctl.h"

#include <jansson.h>
#include <stdint.h>

struct feed;

/* on_trouble is told why there is no connection, and when it will be tried
 * again; and NULL when there is one again. */
struct feed *feed_new(struct ctl *, void (*on_trouble)(const char *, void *),
		      void *arg);
/* NULL-safe; sets *f to NULL. */
void feed_free(struct feed **);

/* The first connection: whoever cannot have it is told at once. */
enum ctl_exit feed_open(struct feed *) MUST_CHECK;

/*
 * Waits for the next event until the time (mono_ms, UINT64_MAX: for ever) or
 * until fd (-1: none) is readable: *ret is a new reference, or NULL.  Another
 * code than CTL_OK when trying again makes no sense: the login is over.
 */
enum ctl_exit feed_next(struct feed *, int fd, uint64_t until_ms,
			json_t **ret) MUST_CHECK;

/* How often it had to connect again. */
unsigned feed_reconnects(const struct feed *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event channel of the service.  It requests a token, connects, and
 * reconnects when the connection is lost.
 *
 * Owns the connection; borrows the ctl.
 */
#pragma once

#include "ctl/ctl.h"

#include <jansson.h>
#include <stdint.h>

struct feed;

/* on_error is called with a sentence when the connection is lost or an attempt
 * to connect failed; the sentence has the time until the next attempt.  It is
 * called with NULL when the connection is open again. */
struct feed *feed_new(struct ctl *, void (*on_error)(const char *, void *),
		      void *arg);
/* NULL-safe; sets *f to NULL. */
void feed_free(struct feed **);

/* Opens the first connection; after an error it does not retry. */
enum ctl_exit feed_open(struct feed *) MUST_CHECK;

/*
 * Waits for the next event until until_ms (mono_ms(); UINT64_MAX: no limit) or
 * until fd (-1: none) is readable.  *ret is the event, a new reference; NULL:
 * none arrived.  Returns a code other than CTL_OK only if the login has ended,
 * so that another attempt would fail, too.
 */
enum ctl_exit feed_next(struct feed *, int fd, uint64_t until_ms,
			json_t **ret) MUST_CHECK;


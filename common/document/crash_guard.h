/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts the starts in a row after which the service crashed within a minute,
 * if they used the same configuration.  Remembers the last configuration with
 * which the service ran for a minute.
 *
 * Both are in a small file, which is written at every start and clean end, and
 * a minute after the start or the last change of the configuration.  Without
 * the file the count begins at zero.
 *
 * Owns its file and a timer; borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "common/document/document.h"

#include <stdbool.h>

struct ev_loop;
struct crash_guard;

enum {
	CRASH_GUARD_MAX = 3,
	CRASH_GUARD_GOOD_MS = 60 * 1000,
};

struct crash_guard_config {
	struct ev_loop *loop;
	const char *path; /* copied */
	/* Writes the digest of the present configuration. */
	void (*digest)(char ret[DOCUMENT_DIGEST_TEXT], void *arg);
	void *arg;
};

/* Reads the file; logs if the previous run did not shut down cleanly. */
struct crash_guard *crash_guard_open(const struct crash_guard_config *);
/* Notes a clean shutdown, and frees the guard.  NULL-safe; sets *s to NULL. */
void crash_guard_close(struct crash_guard **);

/* True when the service must not start with this configuration: the last
 * CRASH_GUARD_MAX starts with it crashed, it is not that of crash_guard_good(),
 * and it did not replace a crashing one. */
bool crash_guard_is_deadly(const struct crash_guard *, const char *digest);

/* The digest of the last configuration that ran for a minute; "": none. */
const char *crash_guard_good(const struct crash_guard *);

/* Notes that the service runs with this configuration from now on; rolled_back:
 * it replaces a crashing one.  Blocks until the file is written, a few seconds
 * at most. */
void crash_guard_begin(struct crash_guard *, const char *digest,
		       bool rolled_back);

/* Notes that the configuration has changed: it counts as good a minute from
 * now. */
void crash_guard_touch(struct crash_guard *);

/* Notes that the process is about to be replaced in an orderly way.  May wait
 * for the disk, a few seconds at most. */
void crash_guard_end(struct crash_guard *);

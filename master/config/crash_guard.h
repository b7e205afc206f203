/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Remembers which configuration the service is known to run with, and how
 * often in a row it died within a minute of its start with another.
 *
 * A small file, written at every start and a minute after the last change.
 * One that cannot be read or written costs this memory, nothing more.
 *
 * Owns its file and a timer; borrows the loop.
 */
#pragma once

#include "common/base/util.h"
#include "common/account/secret.h"

#include <stdbool.h>

struct ev_loop;
struct starts;

enum {
	STARTS_CRASHES_MAX = 3,
	STARTS_GOOD_AFTER_MS = 60 * 1000,
};

struct starts_config {
	struct ev_loop *loop;
	const char *path; /* copied */
	/* The digest of the configuration as it is now. */
	void (*digest)(char ret[SECRET_TEXT], void *arg);
	void *arg;
};

/* Reads what is remembered; an end that was not orderly is logged. */
struct starts *starts_open(const struct starts_config *);
/* An orderly end, which is no crash.  NULL-safe; sets *s to NULL. */
void starts_close(struct starts **);

/* This configuration must not be started again: it has crashed three times,
 * is not known to be good, and was not itself put there for that reason. */
bool starts_is_deadly(const struct starts *, const char *digest);

/* The digest of the last one known to be good; "" for none. */
const char *starts_good(const struct starts *);

/* What runs from now on; rolled_back: in the place of a deadly one.  Blocks
 * until it is remembered. */
void starts_begin(struct starts *, const char *digest, bool rolled_back);

/* The configuration has changed: a minute from now it is good. */
void starts_touch(struct starts *);

/* The process is about to be replaced in an orderly way.  May wait for the
 * disk, a few seconds at most. */
void starts_end(struct starts *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The logic of an input or output with several paths for one stream: which
 * paths are open, when a closed path is tried again, which path delivers
 * no packets, and what the status reports.
 *
 * rtp (SMPTE 2022-7), merge by content and RIST use it, and open and read the
 * paths themselves.  Path numbers in texts count from 1; with one path the
 * texts have no number.
 *
 * Owns its epoll descriptor.  Embedded; redundant_paths_init() makes it ready.
 */
#pragma once

#include "common/base/errmsg.h"
#include "common/base/util.h"
#include "worker/socket/retry.h"

#include <stddef.h>

enum {
	REDUNDANT_PATHS_MAX = 4,
	/* A path without packets is reported after this many seconds in which
	 * another path delivered. */
	PATH_SILENT_S = 3,
};

struct redundant_path {
	bool open;
	int fd;              /* descriptor of the open path; -1: it has none */
	int err;             /* why it is closed, -errno; 0: not tried yet */
	struct errmsg error; /* the text of err; "" while open */
	struct retry retry;
	unsigned silent_s;   /* seconds in which only other paths delivered */
};

struct redundant_paths {
	struct redundant_path path[REDUNDANT_PATHS_MAX];
	size_t n, n_open;
	int fd; /* readable when packets wait; or -1 */
	/* first error of a path in the last second; "": none */
	struct errmsg error;
	/* the paths with two senders in the last second; "": none */
	struct errmsg senders;
	bool unprotected;       /* redundancy was missing in the last second */
	uint64_t unprotected_s; /* seconds without redundancy */
};

/* The owner's report of a path at the end of a second. */
struct path_state {
	bool delivers;       /* packets have arrived recently */
	bool optional;       /* silence of this path is no error */
	const char *error;   /* error of the path; NULL: no error is known */
	/* text of the error if only other paths deliver; NULL: "no packets" */
	const char *silence;
	/* text that names two senders; NULL or "": there is at most one */
	const char *senders;
};

void redundant_paths_init(struct redundant_paths *, size_t n);

/* Makes one epoll descriptor for the descriptors of all paths; a single path
 * uses its own descriptor.  0, or -errno with error. */
int redundant_paths_make_fd(struct redundant_paths *, struct errmsg *error)
	MUST_CHECK;
void redundant_paths_done(struct redundant_paths *);

static inline bool redundant_path_is_due(const struct redundant_paths *p,
					 size_t i, uint64_t now_ns)
{
	return !p->path[i].open && retry_is_due(&p->path[i].retry, now_ns);
}

/* Call it when path i was opened, or closed and opened again.  fd is a new
 * descriptor, even if it has the number of the previous one; -1: the path has
 * none. */
void redundant_path_opened(struct redundant_paths *, size_t i, int fd);

/* Sets the descriptor that an open path reads; a new descriptor must have
 * another number than the one before. */
void redundant_path_set_fd(struct redundant_paths *, size_t i, int fd);

/* Call it when path i was closed after an error, or could not be opened.  The
 * owner sets the time of the next attempt in path[i].retry. */
void redundant_path_failed(struct redundant_paths *, size_t i, int err,
			   const struct errmsg *error);

/* Returns 0 while a path is open or not tried yet.  If all have failed, returns
 * the -errno of the first path with its error. */
int redundant_paths_check(const struct redundant_paths *,
			  struct errmsg *error) MUST_CHECK;

/* Makes error, senders and unprotected from the state of each path. */
void redundant_paths_every_second(struct redundant_paths *,
				  const struct path_state *);

static inline const char *redundant_paths_error(const struct redundant_paths *p)
{
	return p->error.text[0] != '\0' ? p->error.text : NULL;
}

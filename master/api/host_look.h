/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Looks for the files that a stored stream names, in a helper thread, because a
 * file system may not answer.
 *
 * The reply of the request waits for it, two seconds at most, and has the
 * warnings that the option -t would have.
 */
#pragma once

#include "master/api/command.h"

struct host_looks;

/* Borrows the API. */
struct host_looks *host_looks_new(struct api *);
/* NULL-safe; sets *l to NULL.  Every request must be answered or gone. */
void host_looks_free(struct host_looks **);

/* The stream (borrowed) is stored (id NULL: it is not), and reply has the
 * answer.  While too many looks wait for their disks, the answer is not
 * delayed. */
void host_look(struct host_looks *, const char *id, const json_t *stream,
	       struct reply *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the files that a stream, a section or a document names, in a helper
 * thread, because a file system may not answer.
 *
 * The findings are those of the option -t.  A request that wants warnings waits
 * for them, two seconds at most.
 */
#pragma once

#include "master/api/command.h"

struct call;
struct host_files;

/* Borrows the API. */
struct host_files *host_files_new(struct api *);
/* NULL-safe; sets *f to NULL.  Every request must be answered or gone. */
void host_files_free(struct host_files **f);

/*
 * True: continue, because the check has ended, because two seconds have passed,
 * because no section names files, or because too many checks run.  call->files
 * has the findings.  False: the check runs, and `again' is called afterwards.
 */
bool host_files_judge(struct host_files *, const json_t *document,
		      struct reply *, command_fn *again);

/* Checks the section while the request continues, and logs the findings; not if
 * host_files_judge() has found them for this call. */
void host_files_log(struct host_files *, const char *key, const json_t *value,
		    const struct call *);

/* Adds the findings about a stream (borrowed; id NULL: it is not stored) to the
 * reply, which has the answer and waits for them, and logs those of a stored
 * stream.  The reply does not wait if too many checks run. */
void host_files_warn(struct host_files *, const char *id, const json_t *stream,
		     struct reply *);

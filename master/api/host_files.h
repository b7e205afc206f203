/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the files that a stream, a section or a document names, in a helper
 * thread, because a file system may hang.
 *
 * The findings are those of `sluice -t'.  A request that wants warnings waits
 * for them, at most two seconds.
 */
#pragma once

#include "master/api/command.h"

struct call;
struct host_files;

/* Borrows the API. */
struct host_files *host_files_new(struct api *);
/* NULL-safe; sets *f to NULL.  Every request must have been answered or
 * dropped. */
void host_files_free(struct host_files **f);

/*
 * True: continue, because the check has ended (call->files has the findings),
 * two seconds have passed, no section names files, or too many checks run.
 * False: the check runs, and `again' is called afterwards.
 */
bool host_files_judge(struct host_files *, const json_t *document,
		      struct reply *, command_fn *again);

/* Checks a section in the background and logs the findings, unless
 * host_files_judge() has found them for this call already, or too many checks
 * run. */
void host_files_log(struct host_files *, const char *key, const json_t *value,
		    const struct call *);

/* Checks the files of a stream (borrowed; id NULL: it is not stored), and
 * postpones the complete reply until the findings are in its `warnings', at
 * most two seconds.  Logs those of a stored stream.  If too many checks run,
 * the reply is not postponed. */
void host_files_warn(struct host_files *, const char *id, const json_t *stream,
		     struct reply *);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the files that a stream, a section or a document names, in a helper
 * thread, because a file system may hang.
 *
 * The findings are those of `sluice -t'.  A request that wants warnings waits
 * for the findings, at most two seconds.
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
 * Checks the files of a document.  True: the caller continues, because the
 * check has ended (call->files has the findings), two seconds have passed, no
 * section names files, or too many checks run.  False: the check has begun, and
 * `again' is called at its end or after two seconds.
 */
bool host_files_judge(struct host_files *, const json_t *document,
		      struct reply *, command_fn *again);

/* Checks the files of a section in the background and logs the findings.  Does
 * nothing if host_files_judge() has found them for this call, or if too many
 * checks run. */
void host_files_log(struct host_files *, const char *key, const json_t *value,
		    const struct call *);

/* Checks the files of a stream (borrowed; id NULL: it is not stored).
 * Postpones the reply, which is complete otherwise, until `warnings' has the
 * findings, at most two seconds.  Logs the findings about a stored stream.  If
 * too many checks run, there is no check, and the reply is not postponed. */
void host_files_warn(struct host_files *, const char *id, const json_t *stream,
		     struct reply *);

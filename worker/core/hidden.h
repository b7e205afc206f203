/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds files that only the sandbox of this process hides
 * (worker/core/sandbox.h).
 *
 * Landlock judges the path of each file: a descriptor of the folder, opened by
 * another process, would not help, and a rule for the folder above it would
 * allow the recordings of other streams.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

enum {
	/* The process sends this signal to itself.  It is blocked in all
	 * threads; the loop reads it and exits with WORKER_EXIT_RENEW. */
	HIDDEN_SIGNAL = SIGUSR1,
};

/*
 * Call it when a file or folder of the configuration could not be opened.
 * True: only the sandbox hides it, because it was created, moved or linked
 * after the start of this process.  Then the process sends itself
 * HIDDEN_SIGNAL, and its successor has a rule for the path.  The other inputs
 * and outputs lose packets meanwhile.  So while hidden_waits() no signal is
 * sent, and the caller must open the file again later.
 */
bool hidden_by_sandbox(const char *path);

/*
 * The same after an open for `mode' (R_OK, W_OK) in a helper thread failed with
 * EACCES.  Opens nothing, because the driver of a device may not return from an
 * open.
 */
bool hidden_when_refused(const char *path, int mode);

/*
 * The same for the files that resolve host names.  Call it before a name is
 * resolved: without resolv.conf the C library reports no error and sends its
 * query to this machine.  Programs that configure the network replace that
 * file.  True: such a file is hidden; unless hidden_waits(), the log says so.
 */
bool hidden_names(void);

/* True if this process may not be replaced yet, because it is one of several
 * successors within a short time; for at most a minute. */
bool hidden_waits(void);

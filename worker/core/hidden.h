/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds files that only the sandbox of this process hides
 * (worker/core/sandbox.h).
 *
 * Landlock judges the place of each file: a descriptor of the folder, opened by
 * another process, would not help, and a rule for the folder above it would
 * allow the recordings of other streams.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>

enum {
	/* Sent by the process to itself, blocked in all threads: its loop ends
	 * with WORKER_EXIT_RENEW. */
	HIDDEN_SIGNAL = SIGUSR1,
};

/*
 * To be asked where a file or folder of the configuration could not be opened:
 * does the sandbox hide it, although its permissions allow to read it?  It was
 * made, moved or linked there since this process began.  True: the process was
 * told to end, and its successor has a rule for the path.  The other inputs and
 * outputs lose packets meanwhile; so while hidden_waits() it is told nothing,
 * and the file has to be opened again later.
 */
bool hidden_by_sandbox(const char *path);

/*
 * The same where an open with mode (R_OK, W_OK) got EACCES in a helper thread.
 * Opens nothing: a driver may not return from that, and one that refuses by
 * itself is not asked again.
 */
bool hidden_when_refused(const char *path, int mode);

/*
 * The same for the files that resolve host names.  To be asked before a name is
 * resolved: without resolv.conf the C library reports no error and asks a
 * server on this machine.  Programs that configure the network replace that
 * file.  True: the log has the reason.
 */
bool hidden_names(void);

/* Were there three successors lately?  Then the next one has to wait, for up to
 * a minute. */
bool hidden_waits(void);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds files that only the sandbox of this process hides
 * (worker/core/sandbox.h). */
#pragma once

#include <stdbool.h>

/*
 * To be asked where a file or folder of the configuration could not be opened:
 * does the sandbox hide it, although its permissions allow to read it?  It was
 * made, moved or linked there since this process began.  True: the process was
 * told to end (SIGTERM); its successor has a rule for the path.
 */
bool hidden_by_sandbox(const char *path);

/*
 * The same for the files that resolve host names.  To be asked before a name is
 * resolved: without resolv.conf the C library reports no error and asks a
 * server on this machine.  Programs that configure the network replace that
 * file.  True: the log has the reason.
 */
bool hidden_names(void);
